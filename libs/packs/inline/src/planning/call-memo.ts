import type { JsonObject } from '@phaseline/basics';
import {
  computeMemoKey,
  type MemoParts,
  memoRules,
  type PlanMemo,
  planMemoSchema,
  type PlanningTool,
  planPaths,
  recallAnswer,
  rememberAnswer,
} from '@phaseline/planning';
import type { InlineToolContext } from '@phaseline/tools';
import { hashText } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';
import { hashJson, type PlanWork, toJson } from './plan-work.js';

type Context = Pick<InlineToolContext, 'state' | 'workspace'>;
type RememberedRule = Extract<(typeof memoRules)[PlanningTool], { kind: 'remembered' }>;

/** Prompts of the agent, besides those that every agent has. */
const INSTRUCTIONS_FILE = 'instructions.md';

/** The memo of a plan, as one call of a tool sees it. */
export class CallMemo {
  private constructor(
    private readonly tool: PlanningTool,
    private readonly rule: RememberedRule,
    private readonly work: PlanWork,
    private readonly context: Context,
    private readonly key: string,
    private readonly memo: PlanMemo,
  ) {}

  /** Opens the memo for a call that has not run yet; `undefined` for a tool whose calls are always computed. */
  static async open(
    tool: PlanningTool,
    work: PlanWork,
    input: unknown,
    context: Context,
  ): Promise<CallMemo | undefined> {
    const rule = memoRules[tool];
    if (rule.kind === 'computed') return undefined;
    const text = await readTextIfExists(context.workspace, planPaths.memo);
    const memo = text === undefined ? { entries: [] } : planMemoSchema.parse(JSON.parse(text));
    const call = {
      ...{ tool, arguments: toJson(input as object), policy: work.session.policy },
      ...{ maker: describeMaker(context), reads: hashParts(work, context, rule.reads) },
    };
    return new CallMemo(tool, rule, work, context, computeMemoKey(call, hashText), memo);
  }

  /** The answer of an earlier call with the same key, if what that call left is still in place. */
  recall(): ReturnType<typeof recallAnswer> {
    const present = hashParts(this.work, this.context, this.rule.leaves);
    return recallAnswer(this.memo, this.key, (name) => present[name] ?? null);
  }

  /** Adds the answer of the call, which has run. */
  remember(answer: JsonObject, result: JsonObject): void {
    const left = hashParts(this.work, this.context, this.rule.leaves);
    const memo = rememberAnswer(this.memo, { key: this.key, tool: this.tool, left, answer, result });
    // Not in canonical JSON: the model sees the members in the order of the first answer.
    this.work.writeFile(planPaths.memo, JSON.stringify(memo));
  }
}

/**
 * The model and the prompts from which the arguments come. The name is that of the profile of the agent: which version the profile has is known only
 * to the worker that calls the model.
 */
function describeMaker({ state, workspace }: Context): { readonly model: string; readonly prompts: string } {
  const { model, promptTexts = {}, temperature = {} } = state.start.terms;
  const instructions = workspace.tree[INSTRUCTIONS_FILE]?.hash ?? null;
  return { model, prompts: hashJson({ promptTexts, temperature, instructions }) };
}

function hashParts(
  { session }: PlanWork,
  { workspace }: Context,
  { artifacts = [], session: fields = [], files = [] }: MemoParts,
): Record<string, string | null> {
  return Object.fromEntries([
    ...artifacts.map((kind) => [`artifact ${kind}`, session.hashes[kind] ?? null] as const),
    ...fields.map((field) => [`session ${field}`, hashField(session[field])] as const),
    ...files.map((path) => [path, workspace.tree[path]?.hash ?? null] as const),
  ]);
}

function hashField(value: unknown): string | null {
  return value === undefined ? null : hashJson({ value });
}
