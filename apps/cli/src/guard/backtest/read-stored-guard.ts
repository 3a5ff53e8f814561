import { parseGuard, type Guard } from '@phaseline/domain';
import { UsageError } from '../../command/command-errors.js';
import type { CommandContext } from '../../command/command-context.js';
import { connect } from '../../connection/connect.js';
import { toPlace, type PlaceOptions } from '../stored-guards.js';

/** A version of a stored guard, as it decides. */
export interface StoredVersion {
  readonly number: number;
  readonly guard: Guard;
}

/** Reads a version of a stored guard from the server, the newest by default. Throws UsageError for one that the server does not show. */
export async function readStoredGuard(
  context: CommandContext,
  name: string,
  { number, ...options }: PlaceOptions & { readonly number?: number },
): Promise<StoredVersion> {
  const { scope, versions } = await (
    await connect(context)
  ).guards.get(name, toPlace(options), { signal: context.signal });
  const found = number === undefined ? versions[0] : versions.find((one) => one.number === number);
  if (!found?.definition)
    throw new UsageError(
      `The server does not show what version ${number ?? ''} of ${name} decides: give the newest one, or one in shadow or production.`,
    );
  const { version, owner, stage, definition } = found;
  return { number: found.number, guard: parseGuard({ ...definition, name, version, scope, stage, owner }) };
}
