/** Turns the data of one version of an event into the next version's. */
export type Upcaster = (data: unknown) => unknown;

/** By event type, then by the version that the step starts from. */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcaster>>>>;

/**
 * Empty while every event is at version 1. A change of a stored shape raises the version in the event's definition, adds
 * its step here, and records a golden file (see golden/README.md).
 */
export const upcasters: Upcasters = {};

/** The data in the shape of version `to`. Throws when a step is missing, which is a mistake in this release. */
export function upcast(type: string, from: number, to: number, data: unknown, steps: Upcasters = upcasters): unknown {
  let current = data;
  for (let version = from; version < to; version += 1) {
    const step = steps[type]?.[version];
    if (!step) throw new Error(`no upcaster brings ${type} from version ${version} to ${version + 1}`);
    current = step(current);
  }
  return current;
}
