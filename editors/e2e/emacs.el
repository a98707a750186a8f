;;; emacs.el --- What a user does in Emacs, for the end-to-end tests  -*- lexical-binding: t; -*-

;; Started with CLIENT, FILE and LINE on the command line, it opens the file, waits for a
;; diagnostic on the line, chooses the action "Resolve" there, waits for the diagnostic to go, and
;; comments on the next line.  Each step is printed as a line.

(require 'cl-lib)

(defun e2e-wait (what fits)
  "Wait until FITS returns something, and return that.  WHAT is for the error."
  (let ((deadline (+ (float-time) 30)) (found nil))
    (while (and (not (setq found (funcall fits))) (< (float-time) deadline))
      (accept-process-output nil 0.02))
    (or found (error "Waited in vain for %s; there is %S" what (e2e-diagnostics)))))

(defun e2e-say (format &rest arguments)
  (princ (concat (apply #'format format arguments) "\n")))

(defvar e2e-started nil)

(defun e2e-diagnostics ()
  "The diagnostics that the user sees, as (LINE . TEXT)."
  (when (and flymake-mode (not e2e-started)) ; Flymake waits for the buffer to be on a screen
    (setq e2e-started t)
    (flymake-start))
  (when (bound-and-true-p lsp-diagnostics--flymake-report-fn) ; lsp-mode waits for a buffer that is being shown
    (lsp-diagnostics--flymake-update-diagnostics))
  (mapcar (lambda (d) (cons (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d)))
          (flymake-diagnostics)))

(defun e2e-choose (prompt collection &rest _)
  "Answer every list with its item \"Resolve\"; stands in for `completing-read'."
  (let ((items (all-completions "" collection)))
    (or (cl-find-if (lambda (item) (string-prefix-p "Resolve" item)) items)
        (error "No \"Resolve\" for %S in %S" prompt items))))

(pcase-let* ((`(,client ,file ,line) command-line-args-left)
             (line (string-to-number line)))
  (setq command-line-args-left nil
        native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil ; there is no compiler
        backtrace-on-error-noninteractive nil make-backup-files nil auto-save-default nil
        completing-read-function #'e2e-choose
        last-nonmenu-event ?a) ; chosen by a key: no pop-up menus
  (define-derived-mode go-mode prog-mode "Go" "Stands in for a package of the user's.")
  (add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode))
  (find-file file)
  (require 'flymake)
  (pcase client
    ("eglot" (call-interactively #'ahp-review))
    ("lsp-mode"
     (load "lsp-mode-autoloads" nil t)
     (setq lsp-enable-snippet nil lsp-auto-guess-root t lsp-enable-file-watchers nil lsp-headerline-breadcrumb-enable nil
           lsp-diagnostics-provider :flymake)
     (require 'lsp-mode)
     (require 'lsp-diagnostics)
     (lsp)))
  (let ((found (e2e-wait "the comment" (lambda () (assq line (e2e-diagnostics))))))
    (e2e-say "diagnostic %d %s" (car found) (cdr found)))
  (goto-char (point-min))
  (forward-line (1- line))
  (call-interactively (if (equal client "eglot") #'eglot-code-actions #'lsp-execute-code-action))
  (e2e-wait "the comment to go" (lambda () (not (assq line (e2e-diagnostics)))))
  (e2e-say "resolved")
  (forward-line 1)
  (ahp-comment (concat "from " client))
  (e2e-wait "the new comment" (lambda () (assq (1+ line) (e2e-diagnostics))))
  (e2e-say "commented"))
;;; emacs.el ends here
