-- The followed changesets, as the server last said: for completion, which cannot wait.

local ask = require('ahp.client')
local M = {}

local known = {} -- client id → list
local queued = {}

function M.get(client)
  return known[client.id] or {}
end

function M.forget(client_id)
  known[client_id], queued[client_id] = nil, nil
end

--- Asks now: `done(reason, list)`.
function M.load(client, done)
  ask.request(client, 'ahp/changesets', vim.empty_dict(), function(reason, list)
    if not reason then
      known[client.id] = list
    end
    done(reason, list)
  end)
end

--- Asks soon; any number of calls until then are one.
function M.refresh(client)
  if not queued[client.id] then
    queued[client.id] = true
    vim.defer_fn(function()
      queued[client.id] = nil
      if not client:is_stopped() then
        M.load(client, function() end)
      end
    end, 100)
  end
end

--- What a changeset is called where one is chosen: its kind is short and stable, but not unique when
--- several sessions are followed.
function M.name(set)
  return set.kind ~= '' and set.kind or set.label
end

return M
