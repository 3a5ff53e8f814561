import { setImmediate } from 'node:timers/promises';
import { runnerTool, type RunnerTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { z } from 'zod';
import { contentWords, mentions, sameWord } from './content-words.js';
import { onGraph, TOOL_TIMEOUT_MS, type GraphHost, type GraphOfCall } from './graph-host.js';
import { TARGETS } from '@phaseline/graph';

/** Nodes of a label that are compared; beyond that the answer says so. */
const COMPARED = 5_000;
/** The share of a requirement's words that something has to speak of before it is proposed as what fulfils it. */
const ENOUGH = 0.5;

const input = z.strictObject({
  requirements: z
    .array(z.strictObject({ rid: z.string().min(1).max(200), text: z.string().min(1).max(8_000) }))
    .min(1)
    .max(20),
});

interface Target {
  readonly label: (typeof TARGETS)[number];
  readonly name: string;
  readonly names: readonly string[];
  /** Of everything that its node says. */
  readonly words: readonly string[];
}

export interface Assessment {
  readonly rid: string;
  /** `undecided`: the graph knows nothing that the requirement names. */
  readonly verdict: 'fulfilled' | 'not fulfilled' | 'undecided';
  readonly target?: string;
  readonly targetLabel?: (typeof TARGETS)[number];
  /** Share of the requirement's words that the target speaks of, 0 to 1. */
  readonly confidence?: number;
  readonly evidence?: string;
}

export function assessFulfillment(host: GraphHost | undefined): RunnerTool {
  return runnerTool<z.infer<typeof input>>({
    name: 'assess_fulfillment',
    description:
      'Proposes for each requirement which business object or message it is about, and whether that fulfils it: by the names that the text mentions, and by how much of it the description covers. ' +
      'It compares words, not meanings; judge each proposal before you record it with create_fulfillment_relationship.',
    input,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, { requirements }) =>
      onGraph(host, context, COMPARED, async (at) => {
        const { targets, notes } = await targetsOf(at);
        if (targets.length === 0)
          throw new ToolError(
            'no_targets',
            'The graph holds no business object and no message, so nothing can be fulfilled by one. Record the requirements as undecided.',
          );
        const lines: string[] = [];
        for (const { rid, text } of requirements) {
          await setImmediate();
          lines.push(JSON.stringify(assess(rid, text, targets)));
        }
        return { content: [...lines, ...notes].join('\n') };
      }),
  });
}

async function targetsOf({ graph, limits }: GraphOfCall): Promise<{ targets: Target[]; notes: string[] }> {
  const targets: Target[] = [];
  const notes: string[] = [];
  for (const label of TARGETS) {
    // Labels are names of ours, so they may stand in the query.
    const found = await graph.read(
      `MATCH (n:${label}) WHERE n.name IS NOT NULL RETURN n.name, n.aliases, properties(n) ORDER BY n.name`,
      {},
      limits,
    );
    if (found.leftOut !== 0) notes.push(`[… only the first ${COMPARED} of ${label} were compared …]`);
    for (const [name, aliases, properties] of found.rows) {
      const names = [name, ...(Array.isArray(aliases) ? aliases : [])].map(String);
      targets.push({ label, name: String(name), names, words: contentWords(textsOf(properties).join(' ')) });
    }
  }
  return { targets, notes };
}

/** All texts in a value, at any depth. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function assess(rid: string, text: string, targets: readonly Target[]): Assessment {
  const words = contentWords(text);
  const scored = targets
    .filter(({ names }) => names.some((name) => mentions(text, name)))
    .map((target) => {
      const covered = words.filter((word) => target.words.some((known) => sameWord(known, word)));
      return { target, covered, share: words.length === 0 ? 0 : covered.length / words.length };
    })
    .sort((a, b) => b.share - a.share);
  const [best] = scored;
  if (!best) return { rid, verdict: 'undecided' };
  const { target, covered, share } = best;
  return {
    rid,
    verdict: share >= ENOUGH ? 'fulfilled' : 'not fulfilled',
    target: target.name,
    targetLabel: target.label,
    confidence: Math.round(share * 100) / 100,
    evidence: `It speaks of ${covered.length} of the ${words.length} words that matter: ${covered.join(', ')}.`,
  };
}
