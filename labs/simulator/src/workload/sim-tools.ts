import {
  defineRemoteTool,
  implementPack,
  ToolRegistry,
  type RemoteToolContext,
  type ToolOutcome,
  type ToolPack,
} from '@phaseline/tools';
import { delegationPack, featuresPack, peoplePack, todosPack, workspacePack } from '@phaseline/inline-packs';
import { ToolError, type ToolEffect, type JobId, type CallId, type ProcessId } from '@phaseline/contracts';
import { contentHash } from '@phaseline/event-store';
import { checksSpec, guardsSpec } from '@phaseline/pack-specs';
import { z } from 'zod';
import type { Host } from '../process/host.js';
import { decideAbout } from './sim-guards.js';
import { verify } from './sim-verifier.js';

/** An effect of a tool outside the system, recorded outside the log. */
export interface Effect {
  readonly tool: string;
  readonly kind: ToolEffect;
  readonly jobId: JobId;
  readonly callId: CallId;
  readonly processId: ProcessId;
  /** What a verifier found. */
  readonly found?: string;
}

/** Time after which a simulated verifier ends by itself. */
const VERIFIER_LIMIT_MS = 30_000;

/** A file that each call of `put` writes, and that people edit. */
export const SHARED_FILE = 'found/shared.md';

/** Creates the tools as a tool-runner runs them. */
export function createRunnableTools(host: Host, onEffect: (effect: Effect) => void, honest = true): ToolRegistry {
  const runTool: Run = (name, kind, context, found) =>
    run(host, name, kind, context, (effect) => onEffect({ ...effect, ...(found === undefined ? {} : { found }) }));
  return new ToolRegistry([
    simulatedPack(runTool, honest),
    createGuardsPack(runTool),
    createChecksPack(host.processId, runTool),
  ]);
}

/** Returns the tools as workers offer them; workers never run them. */
export function getOfferedTools(honest: boolean): ToolRegistry {
  return honest ? honestTools : dishonestTools;
}

type Run = (name: string, kind: ToolEffect, context: RemoteToolContext, found?: string) => Promise<ToolOutcome>;

function simulatedPack(run: Run, honest: boolean): ToolPack {
  const tool = (name: string, kind: ToolEffect, input: z.ZodType<object>): ReturnType<typeof defineRemoteTool> =>
    defineRemoteTool({
      name,
      description: `Simulated: ${kind}.`,
      effect: honest ? kind : 'idempotent',
      timeoutMs: 4_000,
      input,
      run: (context) => run(name, kind, context),
    });
  return {
    name: 'simulated',
    tools: [
      tool('look', 'pure', z.object({ at: z.string() })),
      tool('put', 'idempotent', z.object({ key: z.string() })),
      tool('charge', 'once', z.object({ amount: z.int() })),
    ],
  };
}

/** The tool that asks hooks. A hook that may not be asked twice counts as an effect that must not happen twice. */
function createGuardsPack(run: Run): ToolPack {
  return implementPack(guardsSpec, {
    run_guard: async (context, { guards, callId = '' }) => {
      const name = guards.join();
      await run(`run_guard ${name}`, name.startsWith('once.') ? 'once' : 'pure', context);
      const decision = decideAbout(callId);
      const said = decision === 'deny' ? { reason: 'no charge' } : { context: 'a charge' };
      const decisions =
        decision === 'nothing' ? [] : guards.map((guard) => ({ guard, decision, ...said, durationMs: 1 }));
      return { content: decision, result: { decisions } };
    },
  });
}

const createOfferedTools = (honest: boolean): ToolRegistry =>
  new ToolRegistry([
    workspacePack,
    todosPack,
    peoplePack,
    featuresPack,
    delegationPack,
    simulatedPack(() => Promise.reject(new Error('a worker does not run it')), honest),
  ]);
const honestTools = createOfferedTools(true);
const dishonestTools = createOfferedTools(false);

/** The tool that runs verifiers. Each process finds something else, so that results of different processes can be told apart. */
function createChecksPack(processId: ProcessId, run: Run): ToolPack {
  return implementPack(checksSpec, {
    run_verifier: async (context, { name, proof }) => {
      const result = verify(context.callId, processId, proof !== undefined);
      await run(`run_verifier ${name}`, 'pure', context, result.outcome);
      const content = new TextEncoder().encode(`${context.callId} by ${processId}`);
      const output = { hash: contentHash(content), size: content.byteLength };
      return { content: result.outcome, blobs: [{ hash: output.hash, content }], result: { ...result, output } };
    },
  });
}

async function run(
  host: Host,
  tool: string,
  kind: ToolEffect,
  { jobId, callId, signal }: RemoteToolContext,
  onEffect: (effect: Effect) => void,
): Promise<ToolOutcome> {
  const outcome = await host.call(
    'tool',
    `tool ${tool} ${jobId} ${callId}`,
    (fault) => {
      if (fault === 'tool fails') throw new ToolError('failed', `${tool} cannot do that`);
      if (fault === 'tool fails for now') throw new ToolError('busy', `${tool} is busy`, { retryable: true });
      onEffect({ tool, kind, jobId, callId, processId: host.processId });
      if (fault === 'tool throws') throw new Error('a mistake of the tool');
      return fault;
    },
    { latency: { from: 10, to: 1_500 } },
  );
  if (outcome === 'tool hangs') {
    // A verifier ends by its own limit: the call of the system has a far longer one.
    if (tool.startsWith('run_verifier')) await host.sleep(VERIFIER_LIMIT_MS);
    else await new Promise<never>(() => {});
  }
  signal.throwIfAborted();
  const content = new TextEncoder().encode(callId);
  const files = kind === 'idempotent' ? [`found/${callId}.md`, SHARED_FILE].map((path) => ({ path, content })) : [];
  return { content: `${tool} did it`, files };
}
