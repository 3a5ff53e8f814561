import { resolve } from 'node:path';
import type { GuardChangeRecord, GuardPlaceQuery } from '@phaseline/client';
import { promotionBasisSchema, promotionCauses, type PromotionBasis } from '@phaseline/contracts';
import { readGuardFile } from '@phaseline/definitions';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { describeGuard, renderGuard, renderGuards } from './render-guards.js';

/** Options that choose a tenant, or the installation. */
export interface PlaceOptions {
  readonly tenant?: string;
  readonly system?: boolean;
}

interface PromoteOptions extends PlaceOptions {
  readonly reason: string;
  readonly cause?: string;
  readonly figure?: string;
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
    `Version ${number} is a draft, and is not asked. Run it on recorded calls: phaseline guards backtest ${change.guard.name} --record`,
    'An earlier version decides the same. Nothing was added.',
  );
}

/** `phaseline guards promote NAME`: takes a version to its next stage. */
export async function promoteGuard(
  context: CommandContext,
  name: string,
  { reason, cause, figure, to: chosen, number, ...options }: PromoteOptions,
): Promise<ExitCode> {
  const { signal } = context;
  const basis = readBasis(cause, figure);
  const client = await connect(context);
  const place = toPlace(options);
  const { versions } = await client.guards.get(name, place, { signal });
  const version = number === undefined ? versions[0] : versions.find((one) => one.number === number);
  if (!version)
    throw new UsageError(
      `${name} has no version ${number ?? ''} that can be promoted; see: phaseline guards show ${name}`,
    );
  const to = chosen ?? (version.stage === 'shadow' ? 'production' : 'shadow');
  const request = { ...place, version: version.version, number: version.number, to, basis, reason };
  const change = await client.guards.promote(name, request, { signal });
  const effect = to === 'shadow' ? 'recorded without effect' : 'in effect';
  return report(
    context,
    change,
    `Version ${version.number} is in ${to}: ${effect} in phases that start from now on.`,
    `Version ${version.number} was in ${to} before. Nothing was changed.`,
  );
}

/** Reads what a promotion is based on. Throws UsageError with the causes. */
function readBasis(cause: string | undefined, figure: string | undefined): PromotionBasis {
  const { data } = promotionBasisSchema.safeParse({ cause, figure });
  if (data && data.figure.trim() !== '') return data;
  const causes = Object.entries(promotionCauses).map(([name, text]) => `${name} (${text})`);
  throw new UsageError(
    `A promotion needs --cause and the figure that shows it, such as --figure '5 of 6 approvals refused'. Causes: ${causes.join(' ')}`,
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

/** Returns which of the guards with a name is meant. Throws UsageError. */
export function toPlace({ tenant, system }: PlaceOptions): GuardPlaceQuery {
  if (system && tenant !== undefined) throw new UsageError('Give --tenant or --system, not both.');
  if (system) return { scope: 'system' };
  return tenant === undefined ? {} : { scope: 'tenant', tenant };
}

function report({ out }: CommandContext, change: GuardChangeRecord, changed: string, unchanged: string): ExitCode {
  if (out.isStructured) out.writeDocument(change);
  else out.writeLines(`${describeGuard(change.guard)}: ${change.changed ? changed : unchanged}`);
  return exitCode.ok;
}
