package gitfile

import (
	"path"
	"strings"
)

// secretNames are the names, in lower case, of files that hold passwords or keys as a
// rule. Those that end with ".example" and the like never do.
var secretNames = []string{
	".env", ".env.*", "*.env", ".envrc",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.ovpn",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials", ".vault-token",
	"credentials", "credentials.json", "credentials.y*ml", "client_secret*.json", "service-account*.json", "service_account*.json",
	"secret.y*ml", "secrets.y*ml", "secret.json", "secrets.json", "secrets.toml",
	"*.tfstate", "*.tfstate.backup", "*.tfvars", "kubeconfig",
}

var secretSamples = []string{".example", ".sample", ".template", ".dist", ".defaults", ".schema"}

// LooksSecret reports whether a file has the name of one that holds passwords or keys.
func LooksSecret(p string) bool {
	name := strings.ToLower(path.Base(p))
	for _, end := range secretSamples {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	for _, pattern := range secretNames {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}
