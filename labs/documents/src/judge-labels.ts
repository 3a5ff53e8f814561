/** Outcome of a labelled obligation. */
export type LabelOutcome = 'candidate' | 'doubtful' | 'omitted' | 'lost';

interface Sentence {
  readonly quote: string;
}

/** The parts of `candidates.json` with which labels are compared. */
export interface CandidatesRead {
  readonly minConfidence: number;
  readonly candidates: readonly (Sentence & {
    readonly text: string;
    readonly confidence: number;
    readonly context?: readonly Sentence[];
  })[];
  readonly omitted?: readonly Sentence[];
}

/** Reduces a text to letters and digits, because readers of a document differ in layout, hyphens and markup. */
const normalise = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Returns for each label the outcome of its sentence. */
export function judgeLabels(
  labels: readonly string[],
  { minConfidence, candidates, omitted = [] }: CandidatesRead,
): readonly { readonly label: string; readonly outcome: LabelOutcome }[] {
  const texts = candidates.map(({ quote, text, context = [], confidence }) => ({
    text: normalise([quote, text, ...context.map((part) => part.quote)].join(' ')),
    outcome: confidence >= minConfidence ? ('candidate' as const) : ('doubtful' as const),
  }));
  const others = omitted.map(({ quote }) => normalise(quote));
  return labels.map((label) => {
    const normalisedLabel = normalise(label);
    const found = texts.filter(({ text }) => text.includes(normalisedLabel)).map(({ outcome }) => outcome);
    const outcome = found.includes('candidate')
      ? 'candidate'
      : found.length > 0
        ? 'doubtful'
        : others.some((text) => text.includes(normalisedLabel))
          ? 'omitted'
          : 'lost';
    return { label, outcome };
  });
}
