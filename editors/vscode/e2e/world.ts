// What the story is about: the files, what the agent does to them, and what each step leaves behind
// for the next one. A step that failed leaves something else: the next one then begins in a folder
// and a session of its own, to which all this is done without the editor.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeRepository, Session, textOf, type Annotation, type Host } from './host.ts';

export const oldGreet = '\treturn "Hello " + name', newGreet = '\tif name == "" {\n\t\tname = "stranger"\n\t}\n\treturn fmt.Sprintf("Hello, %s!", name)';
export const oldLoop = 'for i := 0; i < len(names); i++ {\n\t\tfmt.Println(greet(names[i]))', newLoop = 'for _, name := range names {\n\t\tfmt.Println(greet(name))';
export const greet = `package main

import (
	"fmt"
	"os"
)

// greet says hello to one person.
func greet(name string) string {
${oldGreet}
}

// greetAll says hello to everybody, one line each.
func greetAll(names []string) {
	${oldLoop}
	}
}

func main() {
	greetAll(os.Args[1:])
}
`;
export const readme = '# Greet\n\nSays hello.\n\n## Use\n\n    go run . NAME\n\n## Licence\n\nNone yet.\n';
export const wordComment = 'Is **stranger** the right word, or should an empty name be an error?', wordLine = 11;
export const loopComment = 'I used a range loop; `slices.Values` would do too.', loopLine = 17;
export const licenceComment = 'Which licence do you want? I did not dare to choose.', licenceLine = 11;

export const userComment = 'Handle **no** arguments, too.', userLine = 24;
export const newServerComment = 'The new server tells of this.';

/** Begins a session in a new folder, in which the agent has not done anything yet. */
export async function newSession(host: Host, folder: string): Promise<Session> {
  return Session.create(host, makeRepository(folder, { 'greet.go': greet, 'README.md': readme }));
}

/** The agent's first turn: it changes two files and leaves three comments. */
export async function firstTurn(agent: Session): Promise<void> {
  await agent.turn('Make the greeting friendlier.',
    agent.edit('greet.go', oldGreet, newGreet), agent.edit('greet.go', oldLoop, newLoop),
    agent.edit('README.md', 'Says hello.\n', 'Says hello to everybody who is named, and to strangers.\n'),
    agent.edit('README.md', 'go run . NAME\n', 'go run . NAME…\n'),
    agent.comment('greet.go', wordLine, wordComment), agent.comment('greet.go', loopLine, loopComment),
    agent.comment('README.md', licenceLine, licenceComment),
    { text: 'The greeting is friendlier now. I left three questions in the files.' });
}

/** What a step leaves behind, done by somebody else. */
export type Effect = (agent: Session) => Promise<void>;

const about = (agent: Session, text: string): Promise<Annotation> => agent.annotation(`the comment ${text}`, ({ entries }) => textOf(entries[0]) === text);
const replied = (text: string): Effect => async agent => {
  const { id } = await about(agent, wordComment);
  agent.annotate({ type: 'annotations/entrySet', annotationId: id, entry: { id: 'a reply', text } });
};
const rewritten = (name: string, from: string, to: string): Effect => async agent => {
  const file = path.join(agent.folder, name);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(from, () => to));
};

export const effects = {
  replied: replied('An *error*, please.'),
  async accepted(agent) {
    await replied('A panic would be too much.')(agent);
    const annotation = await about(agent, wordComment);
    const meta = { ...annotation._meta, 'vscode.agentFeedback': { ...annotation._meta?.['vscode.agentFeedback'], state: 'accepted' } };
    agent.annotate({ type: 'annotations/set', annotation: { ...annotation, _meta: meta } });
  },
  async resolved(agent) {
    const { id } = await about(agent, wordComment);
    agent.annotate({ type: 'annotations/updated', annotationId: id, resolved: true });
  },
  reverted: rewritten('greet.go', newLoop, oldLoop),
  async discarded(agent) {
    fs.writeFileSync(path.join(agent.folder, 'README.md'), readme);
  },
  async commented(agent) {
    const line = userLine - 1;
    agent.annotate({
      type: 'annotations/set', annotation: {
        id: randomUUID(), origin: { session: agent.uri }, resource: agent.fileUri('greet.go'), resolved: false,
        range: { start: { line, character: 1 }, end: { line, character: 22 } }, entries: [{ id: '1', text: userComment }],
        _meta: { 'vscode.agentFeedback': { kind: 'user', state: 'submitted', sessionResource: agent.uri, codeSelection: 'greetAll(os.Args[1:])' } },
      },
    });
  },
  async followed(agent) {
    await secondTurn(agent);
    await thirdTurn(agent);
  },
  async deleted(agent) {
    await agent.removeAnnotation((await about(agent, userComment)).id);
  },
  async told(agent) {
    await agent.turn('More.', agent.comment('greet.go', 2, newServerComment));
  },
  async removed(agent) {
    await agent.removeAnnotation((await about(agent, newServerComment)).id);
  },
} satisfies Record<string, Effect>;

/** The agent rewrites what is above, below, and under a comment. */
export async function secondTurn(agent: Session): Promise<void> {
  await agent.turn('Write a header, a footer, and another loop.',
    agent.edit('greet.go', 'package main\n', '// Command greet greets.\npackage main\n'),
    agent.edit('greet.go', 'func greetAll(names []string) {', 'func greetAll(names ...string) {'),
    agent.edit('greet.go', '\tgreetAll(os.Args[1:])\n}\n', '\tgreetAll(os.Args[1:]...)\n}\n\n// The end.\n'));
}

export async function thirdTurn(agent: Session): Promise<void> {
  await agent.turn('And a licence.', agent.edit('greet.go', '// Command greet greets.\n', '// Copyright: none.\n\n// Command greet greets.\n'),
    agent.comment('greet.go', 1, 'Or would you like one?'));
}
