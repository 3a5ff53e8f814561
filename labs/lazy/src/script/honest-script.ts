import type { Task } from '../tasks/task.js';
import { completeTodo, readFile, writeFile } from './call.js';
import type { Script } from './script.js';

const PHASE = 'The work';
const PLAN_FILE = 'main_plan.md';
const PERSON_REPORT = 'output/report.md';

/** Plan and work of a model that does the task. */
export function writeHonestScript(task: Task): Script {
  const { todos, outputs, documents, files } = task;
  const inputs = [...documents, ...files].map(({ path }) => path);
  const goal = `# Plan\n\nGoal: ${task.instructions.trim()}\n\nApproach: read the input, then create each output and read it again.\n`;
  const phases = (mark: string): string => `\n## Phases\n\n- [${mark}] ${PHASE}: ${todos.length} todos\n`;
  return {
    explore: [
      [readFile('instructions.md'), ['list_files', {}]],
      [
        writeFile('workspace.md', `# Workspace\n\nTask: ${task.instructions.trim()}\n\nInput: ${inputs.join(', ')}\n`),
        completeTodo(),
      ],
      [writeFile(PLAN_FILE, `${goal}\nOutputs: ${outputs.join(', ')}\n`), completeTodo()],
      [['append_file', { path: PLAN_FILE, content: phases(' ') }], completeTodo()],
    ],
    phases: [
      {
        name: PHASE,
        todos: todos.map(({ content, output }) => ({
          content,
          outputs: [{ file: { path: output, changedSince: 'todo', minBytes: 20 } }],
        })),
        work: todos.flatMap(({ work }) => work),
      },
    ],
    review: [
      (phase) => [
        readFile(`archive/phase_${String(phase - 1).padStart(3, '0')}.md`),
        ...todos.map(({ output }) => readFile(output)),
        completeTodo(),
      ],
      [
        writeFile(
          'workspace.md',
          `# Workspace\n\nTask: ${task.instructions.trim()}\n\nDone: ${todos.map(({ output }) => output).join(', ')}\n`,
        ),
        completeTodo(),
      ],
      [readFile('instructions.md'), readFile(PLAN_FILE)],
      [writeFile(PLAN_FILE, `${goal}${phases('x')}`), completeTodo()],
    ],
    conclude: [
      [readFile('instructions.md'), ...outputs.map(readFile), completeTodo()],
      // The report for a person, unless it is what the job delivers.
      outputs.includes(PERSON_REPORT)
        ? [readFile(PERSON_REPORT), completeTodo()]
        : [
            writeFile(PERSON_REPORT, `# Report\n\n${outputs.join(', ')} were created from ${inputs.join(', ')}.\n`),
            completeTodo(),
          ],
      [['job_complete', { summary: `Created ${outputs.join(', ')}.`, deliverables: outputs, confidence: 0.8 }]],
    ],
  };
}
