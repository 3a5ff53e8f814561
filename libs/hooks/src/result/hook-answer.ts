import { jsonObjectSchema } from '@phaseline/basics';
import { z } from 'zod';
import type { HookPoint } from '@phaseline/domain';
import { pointRules } from '../protocol/hook-event.js';

const text = z.string();

/** Members that every hook may write. */
const universal = {
  continue: z.boolean().optional(),
  stopReason: text.optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: text.optional(),
  terminalSequence: text.optional(),
  decision: z.enum(['approve', 'block']).optional(),
  reason: text.optional(),
  async: z.boolean().optional(),
  asyncTimeout: z.number().optional(),
};

const permissionDecision = z.discriminatedUnion('behavior', [
  z.looseObject({
    behavior: z.literal('allow'),
    updatedInput: jsonObjectSchema.optional(),
    updatedPermissions: z.unknown().optional(),
  }),
  z.looseObject({ behavior: z.literal('deny'), message: text.optional(), interrupt: z.boolean().optional() }),
]);

/** What a hook writes about one event. */
const specific = {
  PreToolUse: {
    permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
    permissionDecisionReason: text.optional(),
    updatedInput: jsonObjectSchema.optional(),
  },
  PermissionRequest: { decision: permissionDecision.optional() },
  PostToolUse: {
    updatedToolOutput: z.json().optional(),
    updatedMCPToolOutput: z.json().optional(),
    classifierContext: text.max(2_000).optional(),
  },
  // Document 003 decides here, which the protocol does not declare.
  Stop: { decision: z.literal('block').optional(), reason: text.optional() },
  SubagentStop: { decision: z.literal('block').optional(), reason: text.optional() },
} as const satisfies Partial<Record<HookPoint, z.ZodRawShape>>;

/** The members that matter, of the answers to all events. */
export interface HookAnswer {
  readonly continue?: boolean | undefined;
  readonly stopReason?: string | undefined;
  readonly systemMessage?: string | undefined;
  readonly decision?: 'approve' | 'block' | undefined;
  readonly reason?: string | undefined;
  readonly async?: boolean | undefined;
  readonly hookSpecificOutput?: SpecificAnswer | undefined;
}

export interface SpecificAnswer {
  readonly additionalContext?: string | undefined;
  readonly permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer' | undefined;
  readonly permissionDecisionReason?: string | undefined;
  readonly updatedInput?: z.infer<typeof jsonObjectSchema> | undefined;
  readonly decision?: 'block' | z.infer<typeof permissionDecision> | undefined;
  readonly reason?: string | undefined;
  readonly updatedToolOutput?: z.infer<ReturnType<typeof z.json>> | undefined;
  readonly updatedMCPToolOutput?: z.infer<ReturnType<typeof z.json>> | undefined;
}

const schemas = new Map<HookPoint, z.ZodType>();

/** Returns the schema of an answer. Members that the protocol does not declare for an event are ignored. */
function getSchema(point: HookPoint): z.ZodType {
  const known = schemas.get(point);
  if (known) return known;
  const own: z.ZodRawShape = point in specific ? specific[point as keyof typeof specific] : {};
  const made = z.looseObject({
    ...universal,
    hookSpecificOutput: z
      .looseObject({
        hookEventName: z.literal(point),
        ...(pointRules[point].readsContext ? { additionalContext: text.optional() } : {}),
        ...own,
      })
      .optional(),
  });
  schemas.set(point, made);
  return made;
}

/** What stands on stdout. */
export type ReadStdout =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answer'; readonly answer: HookAnswer }
  /** It begins like JSON. `isJson`: it is valid JSON, and does not have the shape of an answer. */
  | { readonly kind: 'unreadable'; readonly isJson: boolean; readonly text: string; readonly problem: string };

/** Reads the standard output of a hook. What begins with `{` is JSON; everything else is text. */
export function readStdout(point: HookPoint, stdout: string): ReadStdout {
  const trimmed = stdout.trim();
  if (!trimmed.startsWith('{')) return { kind: 'text', text: trimmed };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    // A hook that continues in the background says so in its first line, and writes its result below when it has ended.
    const [first] = trimmed.split('\n', 1);
    const begun = first === trimmed ? undefined : readStdout(point, first!);
    if (begun?.kind === 'answer' && begun.answer.async === true) return begun;
    return { kind: 'unreadable', isJson: false, text: trimmed, problem: (error as Error).message };
  }
  const parsed = getSchema(point).safeParse(value);
  if (parsed.success) return { kind: 'answer', answer: parsed.data as HookAnswer };
  const [issue] = parsed.error.issues;
  const problem = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not an answer'}`;
  return { kind: 'unreadable', isJson: true, text: trimmed, problem };
}
