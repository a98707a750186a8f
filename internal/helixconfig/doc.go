// Package helixconfig adds ahp-lsp to Helix's languages.toml, and takes it out again.
//
// Helix starts language servers per language, and a list in the user's file replaces
// the one that is built in. So each language gets a list with its own servers, as the
// installed Helix has them, and ahp-lsp at the end. The user's file keeps its comments,
// order and layout: what is added stands in marked blocks, or at the end of lists that
// are there.
//
// [Command] is "ahp-lsp helix-config"; [Inspect], [FolderFile] and
// [Unlisted] answer the doctor's questions.
package helixconfig
