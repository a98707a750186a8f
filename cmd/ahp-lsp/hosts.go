package main

import (
	"os"
	"runtime"

	"github.com/tliron/commonlog"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/discover"
	"ahp-lsp/lsp"
)

func (f hostFlags) settings() lsp.Settings {
	return lsp.Settings{Host: f.Host, Token: f.Token, TokenFile: f.TokenFile}
}

func envSettings() lsp.Settings {
	return lsp.Settings{Host: os.Getenv("AHP_HOST"), Token: os.Getenv("AHP_TOKEN"), Session: os.Getenv("AHP_SESSION")}
}

// hosts lists the hosts to try for the open folders: those that published
// themselves on this machine, then the embedded one.
func (e *embedded) hosts(kind string, roots []string) []bridge.Host {
	var hosts []bridge.Host
	if kind == lsp.HostAuto {
		hosts = published()
	}
	if h, ok := e.host(roots); ok {
		hosts = append(hosts, h)
	}
	return hosts
}

// published lists the hosts that published themselves.
func published() []bridge.Host {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	endpoints, passedOver := discover.Scan(discover.DefaultLocations(os.Getenv, runtime.GOOS, home), discover.Alive)
	log := commonlog.GetLogger("ahp.discover")
	for _, f := range passedOver {
		if f.Kind != discover.NoDirectory {
			log.Debugf("%s: %s", f.Path, f.Reason)
		}
	}
	hosts := make([]bridge.Host, 0, len(endpoints))
	for _, e := range endpoints {
		hosts = append(hosts, bridge.Host{URL: e.URL, Token: e.Token})
	}
	return hosts
}

// tokenFrom reads a token file; no file is no token.
func tokenFrom(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	return lsp.ReadTokenFile(file)
}
