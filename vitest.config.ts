import { defineConfig } from 'vitest/config';

/** CI reads its closing line from here. */
const report = 'node_modules/.cache/vitest-report.json';

export default defineConfig({
  // Tests see the sources of other projects, not what was built of them.
  ssr: { resolve: { conditions: ['@phaseline/source'] } },
  test: {
    include: ['{apps,libs}/*/src/**/*.spec.ts', 'test/**/*.spec.ts'],
    setupFiles: ['./test/setup.ts'],
    globalSetup: ['./test/global-setup.ts'],
    // Most specs wait for processes, locks and servers, so more of them than processors run side by side.
    maxWorkers: 4,
    // Specs that start processes take some seconds alone and twenty on a machine with much else to do.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // What a spec waits for comes when the machine gets to it: the default of one second is a race on a busy one.
    expect: { poll: { timeout: 20_000 } },
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
