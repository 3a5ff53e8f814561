import type { SubmitRequest } from '@phaseline/contracts';
import type { SeededRandom } from '@phaseline/harness';
import type { PlayedAgent } from './with-stack.js';

/** Steps of a job beside those that write a file: reading the task, asking for earlier mistakes, completing the todo. */
const FIXED_STEPS = 3;
const MAX_FILES = 3;
const PARAGRAPH = 'The service keeps every record for ten years and tells who has read it. '.repeat(8);

const AGENT = `name: soak-writer
displayName: Soak writer
description: Writes as many notes as its task says.
workflow: soak-write
instructions: instructions.md
models: { tactical: rehearsal }
tools:
  workspace: [read_file, write_file]
  tactical: [todo_complete, query_traces]
`;

const WORKFLOW = `name: soak-write
version: 1
description: One phase that writes notes.
start: write
states:
  write:
    kind: tactical
    title: Write
    todos: [Write the notes that instructions.md asks for]
    finish: written
    outcomes:
      written: { end: completed }
`;

/** A job of a few steps, one of which is a remote call. Its task says how many notes to write. */
export const shortJobAgent: PlayedAgent = {
  files: {
    'agents/soak-writer/agent.yaml': AGENT,
    'agents/soak-writer/instructions.md': 'Write the notes.\n',
    'workflows/soak-write.yaml': WORKFLOW,
  },
  policies: [
    {
      name: 'soak-writer',
      matches: () => true,
      answer: ({ messages }) => {
        const turn = messages.filter(({ role }) => role === 'assistant').length;
        if (turn === 0) return { calls: [{ name: 'read_file', arguments: { path: 'instructions.md' } }] };
        if (turn === 1) return { calls: [{ name: 'query_traces', arguments: {} }] };
        const task = messages.map(({ content }) => /Notes to write: (\d+)/.exec(content ?? '')?.[1]).find(Boolean);
        const note = turn - 1;
        if (note > Number(task))
          return { calls: [{ name: 'todo_complete', arguments: { notes: 'Wrote the notes.' } }] };
        const content = `# Note ${note}\n\n${PARAGRAPH}\n`;
        return { calls: [{ name: 'write_file', arguments: { path: `notes/${note}.md`, content } }] };
      },
    },
  ],
};

/** Creates the submission of the next short job, and says how many steps the job will have. */
export function createShortJob(random: SeededRandom): { readonly request: SubmitRequest; readonly steps: number } {
  const notes = random.between(1, MAX_FILES);
  return {
    request: { agent: 'soak-writer', instructions: `Notes to write: ${notes}` },
    steps: FIXED_STEPS + notes,
  };
}
