package gitfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLooksSecret(t *testing.T) {
	for _, p := range []string{".env", "app/.env", ".env.local", "prod.env", "server.PEM", "deploy/id_ed25519", ".npmrc", "config/secrets.yml", "a/credentials.json", "x.tfstate"} {
		require.True(t, LooksSecret(p), p)
	}
	for _, p := range []string{".env.example", "env", "environment.go", "id_rsa.pub", "key.go", "pem/readme.md", "secrets.go", "keyboard.keys", ".envoy.yaml"} {
		require.False(t, LooksSecret(p), p)
	}
}
