import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { importFiles, readGuardFiles } from '@phaseline/hooks';
import { RESULT_FILE, resultText, type JobShape } from './chaos-job.js';

const SET = 'checks';
/** Line that a hook adds to the result, so that a decision that was lost, or taken twice, shows in it. */
const ADDED_LINE = 'checked by a hook';

/** Text of the result of a job whose hooks were asked. */
export function amendedResultText(shape: JobShape): string {
  return `${resultText(shape)}${ADDED_LINE}\n`;
}

/** Each hook runs long enough for a process to die meanwhile. */
const FILES: Readonly<Record<string, string>> = {
  'settings.json': JSON.stringify({
    hooks: {
      PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'sh .claude/hooks/amend.sh' }] }],
      TaskCompleted: [{ hooks: [{ type: 'command', command: 'sleep 0.2' }] }],
      Stop: [{ hooks: [{ type: 'command', command: 'sleep 0.2' }] }],
      SessionEnd: [{ hooks: [{ type: 'command', command: 'sleep 0.2' }] }],
    },
  }),
  'hooks/amend.sh': `input=$(cat)
read_member() { printf %s "$input" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
file=$(read_member file_path)
content=$(read_member content)
sleep 0.2
case "$content" in *"${ADDED_LINE}"*) exit 0 ;; esac
case "$file" in
*/${RESULT_FILE})
  printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"file_path":"%s","content":"%s%s"}}}' "$file" "$content" '${ADDED_LINE}\\n'
  ;;
esac
`,
};

/** Writes a set of hooks into the folder of an agent, as an import does. A hook whose process died is asked again. */
export async function writeGuardSet(agentFolder: string): Promise<void> {
  const set = join(agentFolder, 'guards', SET);
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(set, 'files', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const { version } = importFiles(await readGuardFiles(join(set, 'files')));
  const terms = { name: SET, owner: 'chaos', version, idempotent: true };
  await writeFile(join(set, 'guard-set.yaml'), JSON.stringify(terms));
}
