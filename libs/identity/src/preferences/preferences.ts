import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import { findAdministrationCatalogue, type PreferencesChanged } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/** The preference about which a plan asks its person. */
const STYLE = 'conversationStyle';

/** Lasting preferences of a person as their stream has them. */
export interface StoredPreferences {
  /** The values that are set, by key. */
  readonly values: JsonObject;
  /** Number of changes. */
  readonly version: number;
  /** Position of the last change in the log; 0 without one. */
  readonly position: number;
  /** Position of the last change of the style of conversations, also if it was cleared. */
  readonly stylePosition: number | null;
  readonly changedAt: string | null;
}

/** What a person answered when a plan asked for the style of conversations. */
export interface StyleAnswer {
  readonly value: string;
  /** Position of the answer in the log. */
  readonly position: number;
}

/** What applies to a person: what they set, and what they answered to a plan. */
export interface CurrentPreferences {
  readonly values: JsonObject;
  /** Position of what changed last, by which a change can name what its author saw; 0 if nothing was ever set. */
  readonly version: number;
}

const NO_PREFERENCES: StoredPreferences = {
  ...{ values: {}, version: 0, position: 0 },
  ...{ stylePosition: null, changedAt: null },
};

/** Folds the stream of a person's preferences. */
export function foldPreferences(events: readonly RecordedEvent[]): StoredPreferences {
  return events.reduce<StoredPreferences>((current, recorded) => {
    const event = findAdministrationCatalogue(recorded.streamId)!.decode(recorded) as PreferencesChanged;
    return evolvePreferences(current, event, recorded);
  }, NO_PREFERENCES);
}

/** Applies one change. */
export function evolvePreferences(
  { values, stylePosition }: StoredPreferences,
  { data: { changes } }: Pick<PreferencesChanged, 'data'>,
  { version, position, recordedAt }: Pick<RecordedEvent, 'version' | 'position' | 'recordedAt'>,
): StoredPreferences {
  const merged = Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null);
  return {
    ...{ values: Object.fromEntries(merged), version, position, changedAt: recordedAt },
    stylePosition: STYLE in changes ? position : stylePosition,
  };
}

/** Merges what a person set with what they answered to a plan. The later one counts. */
export function mergeAnswer(
  { values, position, stylePosition }: Pick<StoredPreferences, 'values' | 'position' | 'stylePosition'>,
  answer: StyleAnswer | undefined,
): CurrentPreferences {
  if (!answer || answer.position < (stylePosition ?? 0)) return { values, version: position };
  return { values: { ...values, [STYLE]: answer.value }, version: Math.max(position, answer.position) };
}

/** Returns the changes that make a difference. */
export function findRealChanges(current: JsonObject, changes: JsonObject): JsonObject {
  const isDifferent = ([key, value]: [string, unknown]): boolean =>
    toCanonicalJson(current[key] ?? null) !== toCanonicalJson(value);
  return Object.fromEntries(Object.entries(changes).filter(isDifferent));
}
