package gitcmd

import (
	"os"
	"strconv"
	"strings"
)

// setting is one value of git's configuration.
type setting struct{ key, value string }

// keptEnv are the variables of git's own that are passed on: whose commits they
// are and where the configuration is. All others could lead git elsewhere.
var keptEnv = []string{
	"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM=",
	"GIT_EXEC_PATH=", "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM=", "GIT_TEMPLATE_DIR=",
}

// baseEnv is the environment of git. In the user's own name it keeps their
// locale, which their hooks may need; messages are English in any case.
func baseEnv(own bool) []string {
	env := make([]string, 0, len(os.Environ())+40)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			switch key, _, _ := strings.Cut(v, "="); {
			case key == "LANGUAGE", key == "LC_ALL" && !own:
				continue
			}
			env = append(env, v)
			continue
		}
		for _, keep := range keptEnv {
			if strings.HasPrefix(v, keep) || own && strings.HasPrefix(v, "GIT_SSH") {
				env = append(env, v)
				break
			}
		}
	}
	env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_MERGE_AUTOEDIT=no", "LANGUAGE=en")
	if !own {
		// The first of the last two is for git before 2.39.4 as well: with no
		// protocol allowed, nothing can be fetched.
		env = append(env, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
	}
	return env
}

// always are the settings of every run, whatever the repository says.
var always = []setting{
	{"core.quotePath", "false"},
	{"safe.bareRepository", "explicit"},
	{"core.fsmonitor", "false"},
	{"submodule.recurse", "false"},
}

// reading are the settings of every run that is not in the user's own name.
var reading = []setting{
	{"core.splitIndex", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.askPass", ""},
	{"credential.helper", ""},
	{"diff.orderFile", os.DevNull},
	{"diff.autoRefreshIndex", "true"},
	{"log.showSignature", "false"},
	{"status.submoduleSummary", "false"},
	{"i18n.commitEncoding", "UTF-8"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
}

// durable makes git sync the objects and refs it writes.
var durable = []setting{
	{"core.fsync", "loose-object,pack,pack-metadata,reference"},
	{"core.fsyncMethod", "batch"},
}

// configEnv hands settings over in the environment: on the command line a key
// could not have a "=", which the name of a filter may.
func configEnv(settings []setting) []string {
	env := make([]string, 0, 2*len(settings)+1)
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}
