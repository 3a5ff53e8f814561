import { resolve } from 'node:path';
import type { GuardChangeRecord, GuardPlaceQuery } from '@phaseline/client';
import { readGuardFile } from '@phaseline/definitions';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { describeGuard, renderGuard, renderGuards } from './render-guards.js';

/** Options that choose a tenant, or the installation. */
interface PlaceOptions {
  readonly tenant?: string;
  readonly system?: boolean;
}

interface PromoteOptions extends PlaceOptions {
  readonly reason: string;
  readonly to?: 'shadow' | 'production';
  readonly number?: number;
}

/** `phaseline guards list`: lists the guards of the installation and of tenants. */
export async function listGuards(context: CommandContext, { tenant }: PlaceOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const query = tenant === undefined ? {} : { tenant };
  const items = await (await connect(context)).guards.list(query, { signal });
  if (out.isStructured) out.writeDocument({ items });
  else out.writeLines(...renderGuards(items, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline guards show NAME`: shows a guard with its versions and the changes of their stages. */
export async function showGuard(context: CommandContext, name: string, options: PlaceOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const guard = await (await connect(context)).guards.get(name, toPlace(options), { signal });
  if (out.isStructured) out.writeDocument(guard);
  else out.writeLines(...renderGuard(guard, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline guards add FILE`: adds a version as a draft. */
export async function addGuard(context: CommandContext, file: string, options: PlaceOptions): Promise<ExitCode> {
  const { signal, currentDirectory } = context;
  const { value, code } = await readGuardFile(resolve(currentDirectory, file));
  const { script: _file, stage: _stage, ...guard } = value;
  const request = { ...toPlace(options), guard: { ...guard, ...(code === undefined ? {} : { code }) } };
  const change = await (await connect(context)).guards.add(request, { signal });
  const { number } = change.guard.newest;
  return report(
    context,
    change,
    `Version ${number} is a draft, and is not asked. Another person promotes it: phaseline guards promote ${change.guard.name} --reason …`,
    'An earlier version decides the same. Nothing was added.',
  );
}

/** `phaseline guards promote NAME`: takes a version to its next stage. */
export async function promoteGuard(
  context: CommandContext,
  name: string,
  { reason, to: chosen, number, ...options }: PromoteOptions,
): Promise<ExitCode> {
  const { signal } = context;
  const client = await connect(context);
  const place = toPlace(options);
  const { versions } = await client.guards.get(name, place, { signal });
  const version = number === undefined ? versions[0] : versions.find((one) => one.number === number);
  if (!version)
    throw new UsageError(
      `${name} has no version ${number ?? ''} that can be promoted; see: phaseline guards show ${name}`,
    );
  const to = chosen ?? (version.stage === 'draft' ? 'shadow' : 'production');
  const change = await client.guards.promote(name, { ...place, version: version.version, to, reason }, { signal });
  const effect = to === 'shadow' ? 'recorded without effect' : 'in effect';
  return report(
    context,
    change,
    `Version ${version.number} is in ${to}: ${effect} in phases that start from now on.`,
    `Version ${version.number} was in ${to} before. Nothing was changed.`,
  );
}

/** `phaseline guards rollback NAME`: takes the version in production out of effect; the one before it returns. */
export async function rollBackGuard(
  context: CommandContext,
  name: string,
  { reason, ...options }: PlaceOptions & { readonly reason: string },
): Promise<ExitCode> {
  const { signal } = context;
  const change = await (await connect(context)).guards.rollBack(name, { ...toPlace(options), reason }, { signal });
  const { production } = change.guard;
  const now = production ? `Version ${production.number ?? '?'} is in production again` : 'No version is in production';
  return report(context, change, `${now}, for phases that start from now on.`, 'Nothing was changed.');
}

function toPlace({ tenant, system }: PlaceOptions): GuardPlaceQuery {
  if (system && tenant !== undefined) throw new UsageError('Give --tenant or --system, not both.');
  if (system) return { scope: 'system' };
  return tenant === undefined ? {} : { scope: 'tenant', tenant };
}

function report({ out }: CommandContext, change: GuardChangeRecord, changed: string, unchanged: string): ExitCode {
  if (out.isStructured) out.writeDocument(change);
  else out.writeLines(`${describeGuard(change.guard)}: ${change.changed ? changed : unchanged}`);
  return exitCode.ok;
}
