import { MEMORY_FILE, refreshSummary, type PhaseState } from '@phaseline/domain';
import type { ResponseSource } from '../ports.js';
import type { PendingCommit } from './pending-commit.js';

/** Maximum size of a memory whose summary is refreshed, in bytes. Tools refuse to make it as large. */
const MAX_MEMORY_BYTES = 400_000;
const NEW_MEMORY = '# Workspace\n';

/**
 * Brings the summary in workspace.md up to date before the first model call of a phase, so that it is current after every transition:
 * the start of the job, and a completed, failed, abandoned or retried phase.
 */
export async function refreshMemory(commit: PendingCommit, source: ResponseSource): Promise<void> {
  if (!isNew(commit.state)) return;
  const text = await readMemory(commit);
  if (text === undefined) return;
  source.refreshMemory(commit, () => {
    const content = new TextEncoder().encode(refreshSummary(text, commit.state, commit.now));
    if (content.byteLength <= MAX_MEMORY_BYTES) commit.changeFiles([{ path: MEMORY_FILE, content }]);
  });
}

/** Whether the phase has not called its model yet, and its memory is that of the phase before. */
function isNew({ start, tree, money, modelCall }: PhaseState): boolean {
  const before = start.workspace.tree[MEMORY_FILE];
  return money.spending.steps === 0 && !modelCall.open && tree[MEMORY_FILE]?.hash === before?.hash;
}

/** Returns `undefined` for a file whose rewriting would lose something: a link, a huge file, or one that is no text. */
async function readMemory({ state, workspace }: PendingCommit): Promise<string | undefined> {
  const entry = state.tree[MEMORY_FILE];
  if (!entry)
    return Object.keys(state.tree).some((path) => path.startsWith(`${MEMORY_FILE}/`)) ? undefined : NEW_MEMORY;
  if (entry.mode === 'link' || entry.size > MAX_MEMORY_BYTES) return undefined;
  const bytes = await workspace.read(MEMORY_FILE);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.trim() === '' ? NEW_MEMORY : text;
  } catch {
    return undefined;
  }
}
