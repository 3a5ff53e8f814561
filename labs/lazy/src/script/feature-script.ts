import { REPOSITORY, type Feature, type FeaturesTask } from '../tasks/features-task.js';
import { completeTodo, readFile, writeFile, type Answer, type Call } from './call.js';

/** What a model answers in each state of the workflow of features. The last answer is repeated if the phase does not end. */
export interface FeatureScript {
  /** The features that are handed in. */
  readonly list: readonly { readonly id: string }[];
  readonly code: (id: string) => readonly Answer[];
  readonly test: (id: string) => readonly Answer[];
}

/** Command that runs the tests of the repository. */
const RUN_TESTS: Call = ['run_command', { program: 'node', args: ['--test'], cwd: REPOSITORY }];

/** What the coder returns. */
export const returnCoded: Call = [
  'phase_return',
  {
    outcome: 'coded',
    result: {
      summary: 'The function returns what its test expects.',
      ...{ decisions: [], defects: [], details: [], artifacts: [] },
      tests: 'node --test: all tests pass.',
    },
  },
];

/** What the tester returns. */
export const returnPassed: Call = [
  'phase_return',
  {
    outcome: 'passed',
    result: {
      summary: 'The feature works.',
      results: [{ tried: 'node --test', works: true, seen: 'All tests pass.' }],
      ...{ decisions: [], defects: [], details: [], artifacts: [] },
    },
  },
];

/** The coder's first todo: to look at the feature. */
export const lookAt = ({ source, greenTest }: Feature): Answer => [
  readFile(source),
  readFile(greenTest),
  completeTodo(),
];

export const describeItem = ({ id, broken, testName }: Feature) => ({
  id,
  description: `${broken.name} ${broken.does}.`,
  checks: [{ verifier: 'unit', tests: [testName] }],
});

const repair = ({ source, test, testText, broken }: Feature): Answer => [
  writeFile(test, testText),
  writeFile(source, broken.repaired),
  RUN_TESTS,
  returnCoded,
];

const tryFeature = ({ id }: Feature): readonly Answer[] => [
  [RUN_TESTS, writeFile(`evidence/${id}.md`, `# ${id}\n\nnode --test was run.\n`)],
  [returnPassed],
];

/** What a model answers that implements the features. */
export function writeHonestFeatures({ features }: FeaturesTask): FeatureScript {
  const find = (id: string): Feature => features.find((one) => one.id === id) ?? features[0];
  return {
    list: features.map(describeItem),
    code: (id) => [lookAt(find(id)), repair(find(id))],
    test: (id) => tryFeature(find(id)),
  };
}
