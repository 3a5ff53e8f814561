import type { SeededRandom } from '@phaseline/harness';
import type { Hook } from './command-bench.js';
import { PATHS } from './generate-calls.js';

const EVENTS = ['PreToolUse', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest'] as const;
const MATCHERS = ['*', 'Read', 'Write', 'Read|Write', 'Bash'];

/** Generates hooks that deny, ask, change arguments and results, add texts, fail, and read files and the transcript. */
export function generateHooks(random: SeededRandom, count: number): readonly Hook[] {
  return Array.from({ length: count }, () => {
    const event = random.pick(EVENTS);
    // Few calls need a permission.
    const matcher = event === 'PermissionRequest' ? '*' : random.pick(MATCHERS);
    const script = random.pick(scripts)(event, random.pick(PATHS));
    // A loaded machine must not make a difference.
    const timeoutSeconds = script.includes('sleep') ? 1 : 60;
    return { event, matcher, script, timeoutSeconds };
  });
}

type Script = (event: Hook['event'], path: string) => string;

const answer = (event: string, output: object): string =>
  `cat > /dev/null\necho '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...output } })}'`;

const scripts: readonly Script[] = [
  (_event, path) => `if grep -q '${path}'; then echo 'not this file' >&2; exit 2; fi`,
  // What the hook sees of the files and of the conversation is part of its decision.
  () => `cat > /dev/null; find . -path ./.claude -prune -o -type f -print | sort >&2; exit 2`,
  (_event, path) => `cat > /dev/null; if [ -s '${path}' ]; then cat '${path}' >&2; exit 2; fi`,
  () =>
    [
      `transcript=$(sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/')`,
      `echo "$(grep -c '"type":"tool_use"' "$transcript") calls" >&2`,
      'exit 2',
    ].join('\n'),
  // A hook that fails, and one that does not end in time.
  (_event, path) => `if grep -q '${path}'; then exit 7; fi`,
  (event) => (event === 'PermissionRequest' ? `cat > /dev/null; sleep 60` : `cat > /dev/null; exit 1`),
  (event) =>
    event === 'PermissionRequest'
      ? answer(event, { decision: { behavior: 'deny', message: 'not now' } })
      : answer(event, { permissionDecision: 'ask', permissionDecisionReason: 'may it?', additionalContext: 'mind it' }),
  (event) =>
    event === 'PermissionRequest'
      ? answer(event, { decision: { behavior: 'allow' } })
      : `cat > /dev/null; echo '{"hookSpecificOutput":{"hookEventName":"${event}","permissionDecision":"allow","updatedInput":{"file_path":"'"$CLAUDE_PROJECT_DIR"'/work/c.txt","content":"amended"},"updatedToolOutput":"masked"}}'`,
  (event) => answer(event, { additionalContext: 'a text for the model' }),
];
