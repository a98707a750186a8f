-- A file before an agent's turn and after it: two hunks, on lines 7 and 18.

local M = {}

M.before = [[
package greet

import "fmt"

// Hello greets one person.
func Hello(name string) string {
	return "Hello " + name
}

// Bye says goodbye.
func Bye(name string) string {
	return "Bye " + name
}

// Count counts to n.
func Count(n int) {
	for i := 0; i < n; i++ {
		fmt.Println(i)
	}
}
]]

M.after = M.before
  :gsub('return "Hello " %+ name', function() return 'return fmt.Sprintf("Hello, %s!", name)' end)
  :gsub('fmt.Println%(i%)', 'fmt.Println(i + 1)')

--- The agent's turn over greet.go, opened.
function M.start(t, more)
  local files = vim.tbl_extend('force', { ['greet.go'] = M.before }, more or {})
  t.repository(files)
  t.turn('Greet with Sprintf.', { ['greet.go'] = M.after })
  local buf = t.open('greet.go')
  t.known(buf, 2)
  return buf
end

return M
