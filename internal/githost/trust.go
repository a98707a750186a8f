package githost

import (
	"context"
	"fmt"

	"ahp-lsp/internal/githost/gitrepo"
)

// pokeTrust says that the user has allowed the programs of the repository, or not any
// more. The engine looks at the file, too.
const pokeTrust = "trust"

// TrustChanged tells a running host of the work tree that the user has allowed the
// repository's programs, or not any more.
func TrustChanged(repo *gitrepo.Repo) { poke(repo, pokeTrust) }

// programsNotice is what the user has to know about programs that do not run; "" is
// nothing.
func programsNotice(ctx context.Context, repo *gitrepo.Repo) string {
	p, err := repo.Programs(ctx)
	if err != nil || len(p.Filters()) == 0 {
		return ""
	}
	return fmt.Sprintf("The configuration of this repository names programs that do not run until you allow them: %s. Its files are shown as git stores them. To allow them, run \"ahp-lsp trust\" here.", p)
}
