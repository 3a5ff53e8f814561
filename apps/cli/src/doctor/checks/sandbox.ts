import { sandboxRecordSchema } from '@phaseline/client';
import { describeSandbox } from '../../process/describe-sandbox.js';
import { ok, warn, type Check, type Finding } from '../check.js';

const REMEDY =
  'apt-get install bubblewrap on the machine of the tool-runner, or see docs/how-to/sandbox.md; then restart it';

/** Reports how the running tool-runners contain commands. */
export const sandbox: Check = {
  name: 'sandbox',
  needs: ['schema'],
  run: async ({ processes }) => {
    const alive = (await processes.listReports()).filter(({ isDead }) => !isDead);
    const findings = alive.flatMap(({ processId, service, abilities }): Finding[] => {
      const report = sandboxRecordSchema.safeParse(abilities.sandbox);
      // A tool-runner reports its sandbox a moment after its start.
      if (!report.success) return service === 'tool-runner' ? [ok(`${processId} is testing its sandbox`)] : [];
      const { mechanism, hasFilter } = report.data;
      const text = `${processId}: ${describeSandbox(report.data)}`;
      return [mechanism === null || mechanism === 'none' || hasFilter === false ? warn(text, REMEDY) : ok(text)];
    });
    return findings.length > 0 ? findings : ok('no tool-runner is running');
  },
};
