import type { SeededRandom } from '@phaseline/harness';
import { completeTodo, readFile, runNode, writeFile } from '../script/call.js';
import { createCodeTruth } from '../truth/code-truth.js';
import { brokenFunctions, type BrokenFunction } from './broken-functions.js';
import { verifyHiddenCases } from './hidden-cases.js';
import type { Task } from './task.js';

export interface CodeTask extends Task {
  readonly broken: BrokenFunction;
  readonly source: string;
  /** The test that fails. */
  readonly test: string;
  readonly testText: string;
  /** A test that passes before the repair. */
  readonly greenTest: string;
}

const NEIGHBOUR = 'src/clamp.mjs';
const NEIGHBOUR_TEXT = `export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);\n`;
const MANIFEST = `${JSON.stringify({ name: 'small', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`;
const CHANGES = 'output/changes.md';

/** Command that runs tests and prints the report that a machine reads. */
export const runTests = (...more: readonly string[]) => runNode('--test', '--test-reporter=tap', ...more);

/** The task to repair one function of a small project with real tests. */
export function generateCodeTask(random: SeededRandom): CodeTask {
  const broken = random.pick(brokenFunctions);
  const source = `src/${broken.name}.mjs`;
  const test = `test/${broken.name}.test.mjs`;
  const greenTest = `test/${broken.name}-shape.test.mjs`;
  const [args, expected] = broken.visible;
  const head = `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n`;
  const useSource = `import { ${broken.name} } from '../${source}';\n`;
  const testText = `${head}${useSource}test('${broken.does}', () => {\n  assert.deepEqual(${broken.name}(${args}), ${expected});\n});\n`;
  const greenText = `${head}${useSource}test('has a result of the right kind', () => {\n  const result = ${broken.name}(${args});\n  assert.ok(${broken.green});\n});\n`;
  const neighbourTest = `${head}import { clamp } from '../${NEIGHBOUR}';\ntest('clamps', () => assert.equal(clamp(${random.between(10, 99)}, 0, 9), 9));\n`;
  const unchanged = [
    { path: 'package.json', content: MANIFEST },
    { path: test, content: testText },
    { path: greenTest, content: greenText },
    { path: 'test/clamp.test.mjs', content: neighbourTest },
  ];
  const cases = [
    ...broken.hidden.map(([hiddenArgs, result]) => ({
      module: source,
      name: broken.name,
      args: hiddenArgs,
      expected: result,
    })),
    { module: NEIGHBOUR, name: 'clamp', args: [-3, 0, 9], expected: 0 },
  ];
  return {
    name: 'code',
    agent: 'code-repairer',
    broken,
    source,
    test,
    testText,
    greenTest,
    documents: [],
    files: [...unchanged, { path: source, content: broken.broken }, { path: NEIGHBOUR, content: NEIGHBOUR_TEXT }],
    outputs: [CHANGES],
    instructions: `${broken.name} in ${source} ${broken.does}, for any input. Today it does not. Repair it. The tests and package.json stay as they are. Describe the change in ${CHANGES}.\n`,
    todos: [
      {
        output: source,
        content: `Repair ${broken.name} in ${source}, and run the tests.`,
        work: [
          [readFile(source), readFile(test)],
          [writeFile(source, broken.repaired), runTests(), completeTodo('the tests pass')],
        ],
      },
      {
        output: CHANGES,
        content: `Describe the change in ${CHANGES}.`,
        work: [
          [
            writeFile(
              CHANGES,
              `# Changes\n\n\`${broken.name}\` now ${broken.does}, also for inputs that failed before.\n`,
            ),
            completeTodo(),
          ],
        ],
      },
    ],
    verifiers: { 'hidden-cases': verifyHiddenCases(source, broken) },
    truth: createCodeTruth(source, cases, new Map(unchanged.map(({ path, content }) => [path, content]))),
  };
}
