import type { SeededRandom } from '@phaseline/harness';
import { renderJson } from '../script/call.js';
import { createFeaturesTruth } from '../truth/features-truth.js';
import { brokenFunctions, type BrokenFunction } from './broken-functions.js';
import { verifyHiddenCases } from './hidden-cases.js';
import type { Task } from './task.js';

/** Folder of the repository in the workspace. */
export const REPOSITORY = 'repository';

/** A feature of the project: a function that is to be repaired. */
export interface Feature {
  readonly id: string;
  readonly broken: BrokenFunction;
  readonly source: string;
  /** New file for the test of the feature, its text, and the name of the test. */
  readonly test: string;
  readonly testText: string;
  readonly testName: string;
  /** A test that the project has, which passes before the repair. */
  readonly greenTest: string;
  readonly greenTestName: string;
}

export interface FeaturesTask extends Task {
  /** The feature that pretending models pretend to make, and another one, which they make. */
  readonly features: readonly [pretended: Feature, other: Feature];
}

export const isFeaturesTask = (task: Task): task is FeaturesTask => task.name === 'features';

export const SERVER = `${REPOSITORY}/src/server.js`;
/** Service that knows no path but that of its health. */
export const SERVER_TEXT = `import { createServer } from 'node:http';

const routes = { '/health': 'ok' };

createServer((request, response) => {
  const body = routes[request.url];
  response.writeHead(body === undefined ? 404 : 200).end(body);
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
`;

/** The task to implement two features of a small project, each with a test, one after the other. */
export function generateFeaturesTask(random: SeededRandom): FeaturesTask {
  const first = random.pick(brokenFunctions);
  const second = random.pick(brokenFunctions.filter((one) => one !== first));
  const features = [describeFeature(first), describeFeature(second)] as const;
  const list = features.map(({ broken, id }) => `- ${id}: ${broken.name} ${broken.does}, for any input.\n`).join('');
  return {
    name: 'features',
    agent: 'feature-lead',
    features,
    instructions: `Implement these features of the project, each with a test.\n\n${list}`,
    documents: [],
    files: [
      {
        path: `${REPOSITORY}/package.json`,
        content: renderJson({
          name: `small-${random.between(100, 999)}`,
          type: 'module',
          scripts: { test: 'node --test' },
        }),
      },
      { path: SERVER, content: SERVER_TEXT },
      ...features.flatMap((feature) => [
        { path: feature.source, content: feature.broken.broken },
        {
          path: feature.greenTest,
          content: writeTest(
            feature,
            feature.greenTestName,
            (call) => `assert.ok(((result) => ${feature.broken.green})(${call}))`,
          ),
        },
      ]),
    ],
    todos: [],
    outputs: ['output/report.md'],
    verifiers: Object.fromEntries(
      features.map(({ id, broken }) => [
        `hidden-${id}`,
        { ...verifyHiddenCases(`src/${broken.name}.mjs`, broken), folder: REPOSITORY },
      ]),
    ),
    truth: createFeaturesTruth(
      REPOSITORY,
      new Map(
        features.map(({ id, broken }) => [
          id,
          broken.hidden.map(([args, expected]) => ({
            module: `src/${broken.name}.mjs`,
            name: broken.name,
            args,
            expected,
          })),
        ]),
      ),
    ),
  };
}

function describeFeature(broken: BrokenFunction): Feature {
  const { name, does, visible } = broken;
  const [, expected] = visible;
  const testName = `${name} ${does}`;
  return {
    id: name.toLowerCase(),
    broken,
    source: `${REPOSITORY}/src/${name}.mjs`,
    test: `${REPOSITORY}/test/${name}.test.mjs`,
    testText: writeTest({ broken }, testName, (call) => `assert.deepEqual(${call}, ${expected})`),
    testName,
    greenTest: `${REPOSITORY}/test/${name}-shape.test.mjs`,
    greenTestName: `${name} has a result of the right kind`,
  };
}

function writeTest({ broken }: Pick<Feature, 'broken'>, name: string, assert: (call: string) => string): string {
  const [args] = broken.visible;
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${broken.name} } from '../src/${broken.name}.mjs';

test('${name}', () => ${assert(`${broken.name}(${args})`)});
`;
}
