import { chmod, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listConversation } from '@phaseline/context';
import type { BacktestRequest } from '@phaseline/contracts';
import { commandBodySchema, type Guard } from '@phaseline/domain';
import { RecordedGuards } from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import { sandboxFields, toSandboxSettings } from '@phaseline/service';
import { z } from 'zod';

/** A command guard that can be run, and what runs it. The caller closes it. */
export interface GuardExecution {
  /** The guard without a network and secrets. */
  readonly guard: Guard;
  readonly recorded: RecordedGuards;
}

/**
 * Prepares to run a command guard on recorded inputs, in a temporary folder, with the settings of the sandbox that tool-runners have. Throws
 * ToolError `no_sandbox`, and an error if the settings say that commands are not contained.
 */
export async function prepareExecution(
  guard: Guard,
  { files }: NonNullable<BacktestRequest['execution']>,
  signal: AbortSignal,
): Promise<GuardExecution> {
  const body = commandBodySchema.parse(guard.body);
  const sandbox = new Sandbox(toSandboxSettings(z.object(sandboxFields).parse(process.env)));
  if ((await sandbox.check()).mechanism === 'none')
    throw new Error('guards are not executed, because PHASELINE_SANDBOX is "none": set another one');
  const root = await realpath(await mkdtemp(join(tmpdir(), 'phaseline-backtest-')));
  // Commands of another user may pass.
  await chmod(root, 0o711);
  const set = {
    name: body.set,
    files: files.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content, 'base64') })),
  };
  return {
    guard: { ...guard, body: { ...guard.body, network: [], secrets: [] } },
    recorded: new RecordedGuards(set, { sandbox, root, listMessages: listConversation, signal }),
  };
}
