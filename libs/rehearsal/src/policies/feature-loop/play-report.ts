import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call, finishTodo, readFileInView, type Scene } from '../scene.js';

const FEATURE_LIST = 'feature-list.json';

/** What the report says about a feature, as the list of the system has it. */
interface ReportedFeature {
  readonly id: string;
  readonly description: string;
  readonly status: string;
  readonly attempts: number;
  readonly reason?: string;
}

/** Plays the feature-lead: reads the list, and writes what became of each feature. */
export function playReport(scene: Scene, phase: string): RehearsalAnswer {
  const list = readFileInView(scene, FEATURE_LIST);
  if ('ask' in list) return act('', list.ask);
  const { features } = JSON.parse(list.text) as { features: readonly ReportedFeature[] };
  return finishTodo(
    'The report is written.',
    call('write_file', { path: 'output/report.md', content: renderReport(features, phase) }),
  );
}

function renderReport(features: readonly ReportedFeature[], phase: string): string {
  const select = (status: string): readonly ReportedFeature[] => features.filter((one) => one.status === status);
  const [tested, blocked] = [select('tested'), select('blocked')];
  return [
    '# Report',
    '',
    `${tested.length} of ${features.length} features are tested, ${blocked.length} blocked.`,
    '',
    '## Tested',
    '',
    ...tested.map(({ id, description, attempts }) => `- **${id}**: ${description} Failed attempts: ${attempts}.`),
    '',
    '## Blocked',
    '',
    ...blocked.map(
      ({ id, description, reason = 'no reason is known' }) =>
        `- **${id}**: ${description} The last attempt failed: ${reason} Its work is in archive/blocked_${id}.patch.`,
    ),
    '',
    // A report after a retry is a new one, also if nothing else has changed.
    `The rehearsal model wrote this report from feature-list.json, in phase ${phase}.`,
    '',
  ].join('\n');
}
