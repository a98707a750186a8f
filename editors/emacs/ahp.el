;;; ahp.el --- Review what AI agents do to code  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 the ahp-lsp authors

;; SPDX-License-Identifier: MIT
;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: tools, vc

;;; Commentary:

;; Put this file into a folder of `load-path' and write (require 'ahp) into your init file.
;; It needs Emacs 29 or newer, and the program ahp-lsp on `exec-path'.
;;
;; With lsp-mode that is all: ahp-lsp runs in every file, beside the language's own server.
;;
;; Eglot has one server for each buffer.  Modes for which Eglot knows no server get ahp-lsp;
;; elsewhere M-x ahp-review takes ahp-lsp in place of the language's server, and M-x ahp-review
;; again takes the latter back.  To have both at once put a multiplexer between them.

;;; Code:

(defgroup ahp nil "Review what AI agents do to code." :group 'tools)

(defcustom ahp-program '("ahp-lsp" "--stdio")
  "How to start ahp-lsp: the program and its arguments."
  :type '(repeat string))

;;; Eglot

(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)
(declare-function eglot "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot-shutdown "eglot")
(declare-function eglot-execute "eglot")
(declare-function eglot-managed-p "eglot")

(defun ahp--add-to-eglot ()
  "Give Eglot ahp-lsp for the modes without another server: it comes last."
  (add-to-list 'eglot-server-programs (cons '(prog-mode text-mode conf-mode) ahp-program) t))

(defvar-local ahp--reviewing nil "Whether Eglot's server in this buffer is ahp-lsp.")

(defun ahp-review ()
  "Show in this project what agents did, with Eglot; or stop doing so.
The language's own server, if one is running, is ended meanwhile."
  (interactive)
  (require 'eglot)
  (when (eq major-mode 'fundamental-mode) ; Eglot connects, but leaves such buffers alone
    (user-error "Eglot does nothing in fundamental-mode: M-x text-mode first"))
  (let ((reviewing ahp--reviewing)
        (server (eglot-current-server)))
    (when server (eglot-shutdown server))
    (let ((eglot-server-programs
           (if reviewing eglot-server-programs (list (cons major-mode ahp-program)))))
      (call-interactively #'eglot))
    (setq ahp--reviewing (not reviewing))))

;;; lsp-mode

(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function lsp-find-workspace "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(defvar lsp--cur-workspace)

(declare-function lsp--workspace-server-capabilities "lsp-mode")

(defun ahp--get (key object)
  "Return what OBJECT, which is JSON for lsp-mode, has under KEY."
  (if (hash-table-p object) (gethash key object) (plist-get object (intern (concat ":" key)))))

(defun ahp--lsp-execute (command)
  "Have lsp-mode run COMMAND, without waiting for its end.
What a server says right after an answer that is waited for is lost by
lsp-mode 10: here that would be the diagnostics without the comment just
resolved."
  (lsp-request-async "workspace/executeCommand"
                     (list :command (ahp--get "command" command) :arguments (vconcat (ahp--get "arguments" command)))
                     #'ignore :mode 'detached))

(defun ahp--add-to-lsp-mode ()
  "Have lsp-mode start ahp-lsp beside every other server."
  (add-to-list 'lsp-language-id-configuration '(".*" . "plaintext") t)
  (let ((handlers (make-hash-table :test #'equal)))
    (lsp-register-client
     (make-lsp-client :new-connection (lsp-stdio-connection (lambda () ahp-program))
                      :activation-fn (lambda (&rest _) t)
                      :add-on? t
                      :priority -10
                      :action-handlers handlers
                      :initialized-fn
                      (lambda (workspace)
                        (mapc (lambda (command) (puthash command #'ahp--lsp-execute handlers))
                              (ahp--get "commands" (ahp--get "executeCommandProvider" (lsp--workspace-server-capabilities workspace)))))
                      :server-id 'ahp-lsp))))

;;; Registration

(defvar ahp--clients '((eglot . ahp--add-to-eglot) (lsp-mode . ahp--add-to-lsp-mode))
  "Language clients that do not know ahp-lsp yet, and how to tell them.")

(defun ahp--register (&rest _)
  "Register ahp-lsp with the language clients that are loaded."
  (dolist (client ahp--clients)
    (when (featurep (car client))
      (setq ahp--clients (remq client ahp--clients))
      (funcall (cdr client)))))

(add-hook 'after-load-functions #'ahp--register)
(ahp--register)

;;; Commands

(defun ahp-comment (text)
  "Comment with TEXT on the current line, or on the lines of the region."
  (interactive "sComment: ")
  (let* ((start (line-number-at-pos (if (use-region-p) (region-beginning) (point)) t))
         (end (line-number-at-pos (if (use-region-p) (1- (region-end)) (point)) t))
         (argument (list :uri (ahp--uri) :text text
                         :range (list :start (list :line (1- start) :character 0)
                                      :end (list :line end :character 0)))))
    (let ((command (list :title "Comment" :command "ahp.annotation.create" :arguments (vector argument))))
      (if (and (fboundp 'eglot-managed-p) (eglot-managed-p))
          (eglot-execute (eglot-current-server) command)
        (let ((lsp--cur-workspace (or (and (fboundp 'lsp-find-workspace) (lsp-find-workspace 'ahp-lsp))
                                      (user-error "Neither Eglot nor lsp-mode runs ahp-lsp here"))))
          (ahp--lsp-execute command))))))

(defvar url-path-allowed-chars)

(defun ahp--uri ()
  "The URI of this buffer's file."
  (require 'url-util)
  (concat "file://" (and (eq system-type 'windows-nt) "/")
          (url-hexify-string (file-truename buffer-file-name) url-path-allowed-chars)))

(provide 'ahp)
;;; ahp.el ends here
