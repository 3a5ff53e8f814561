import type { JsonObject } from '@phaseline/basics';
import {
  computeMemoKey,
  type MemoEntry,
  memoRules,
  type PlanMemo,
  planMemoSchema,
  type PlanningTool,
  planPaths,
  planSessionSchema,
  recallAnswer,
  rememberAnswer,
} from '@phaseline/planning';
import type { RemoteToolContext, ToolOutcome } from '@phaseline/tools';
import {
  contentHash,
  encodeText,
  type FileChange,
  hashText,
  readText,
  type WorkspaceReader,
} from '@phaseline/workspace';

/** What a tool that computes answers, and the files that it writes. */
export interface ComputedAnswer {
  readonly answer: JsonObject;
  readonly result: JsonObject;
  readonly files: readonly (FileChange & { readonly content: Uint8Array })[];
}

/**
 * Answers a call from the memo of the plan, or runs `compute` and adds its answer to the memo.
 *
 * The memo is read here and not before the call is sent to its queue: the worker does not know what a tool reads, and the work that the memo saves is
 * the computation, not the message. Model and prompts are no part of the key, since neither changes what these tools compute from their input.
 */
export async function rememberCall(
  tool: PlanningTool,
  { workspace }: Pick<RemoteToolContext, 'workspace'>,
  input: object,
  compute: () => Promise<ComputedAnswer>,
): Promise<ToolOutcome> {
  const key = await buildKey(tool, workspace, input);
  const known = recallAnswer(await readMemo(workspace), key, (path) => workspace.tree[path]?.hash ?? null);
  if (known) return { content: JSON.stringify(known.answer), result: known.result };
  const { answer, result, files } = await compute();
  const left = Object.fromEntries(files.map(({ path, content }) => [path, contentHash(content)]));
  const entry = { key, tool, left, answer, result };
  const content = JSON.stringify(answer);
  return {
    ...{ content, result },
    // Another call of the stage may have added its answer meanwhile.
    rebase: async (current) => ({ content, files: [...files, await addEntry(current, entry)] }),
  };
}

async function buildKey(tool: PlanningTool, workspace: WorkspaceReader, input: object): Promise<string> {
  const rule = memoRules[tool];
  const files = rule.kind === 'remembered' ? (rule.reads.files ?? []) : [];
  const reads = Object.fromEntries(files.map((path) => [path, workspace.tree[path]?.hash ?? null]));
  const { policy } = planSessionSchema.parse(JSON.parse(await readText(workspace, planPaths.session)));
  return computeMemoKey({ tool, arguments: input, policy, reads }, hashText);
}

async function readMemo(workspace: WorkspaceReader): Promise<PlanMemo> {
  if (!workspace.tree[planPaths.memo]) return { entries: [] };
  return planMemoSchema.parse(JSON.parse(await readText(workspace, planPaths.memo)));
}

async function addEntry(workspace: WorkspaceReader, entry: MemoEntry): Promise<FileChange> {
  const memo = rememberAnswer(await readMemo(workspace), entry);
  return { path: planPaths.memo, content: encodeText(JSON.stringify(memo)) };
}
