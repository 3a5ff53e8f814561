import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import type { Guard, ParsedStoredGuard } from '@phaseline/domain';
import { contentHash } from '@phaseline/event-store';

/** Returns the version of a guard: as for guards in files, the hash of what determines the decision, without owner and description. */
export function hashStoredGuard({ name, definition }: ParsedStoredGuard): string {
  // It is JSON; its type has no index signature.
  return contentHash(Buffer.from(toCanonicalJson({ name, ...definition } as unknown as JsonObject)));
}

/** A guard of a tenant that is tried without being stored. */
export function toTriedGuard(parsed: ParsedStoredGuard): Guard {
  const { name, owner, definition } = parsed;
  return { ...definition, ...{ name, owner, version: hashStoredGuard(parsed), scope: 'tenant', stage: 'draft' } };
}
