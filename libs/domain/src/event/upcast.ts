/** Converts the data of one version of an event into the next version. */
type Upcaster = (data: unknown) => unknown;

/** Upcasters by event type, then by the version from which the step starts. */
export type Upcasters = Readonly<Record<string, Readonly<Record<number, Upcaster>>>>;

/**
 * The upcasters of this release. To change a stored shape, raise the version in the event's definition, add the step here,
 * and record a golden file (see golden/README.md).
 */
export const upcasters: Upcasters = {
  // Version 2 contains settings of agents that were added later; all of them are optional.
  JobSubmitted: { 1: (data) => data },
  JobForked: { 1: (data) => data },
  JobDefinitionChanged: { 1: (data) => data },
  PhaseStarted: { 1: (data) => data },
  PhaseForked: { 1: (data) => data },
};

/** Upcasts the data to version `to`. Throws if a step is missing, which is a bug in this release. */
export function upcast(type: string, from: number, to: number, data: unknown, steps: Upcasters = upcasters): unknown {
  let current = data;
  for (let version = from; version < to; version += 1) {
    const step = steps[type]?.[version];
    if (!step) throw new Error(`no upcaster converts ${type} from version ${version} to ${version + 1}`);
    current = step(current);
  }
  return current;
}
