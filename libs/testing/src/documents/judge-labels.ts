/** What became of a labelled obligation. */
export type Outcome = 'candidate' | 'doubtful' | 'reason' | 'lost';

interface Sentence {
  readonly quote: string;
}

/** The parts of `candidates.json` that labels are compared with. */
export interface CandidatesRead {
  readonly minConfidence: number;
  readonly candidates: readonly (Sentence & {
    readonly text: string;
    readonly confidence: number;
    readonly context?: readonly Sentence[];
  })[];
  readonly leftOut?: readonly Sentence[];
}

/** Letters and digits alone: layout, hyphens and markup differ between two readers of a document. */
const loose = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Says for each label what became of the sentence that it stands for. */
export function judgeLabels(
  labels: readonly string[],
  { minConfidence, candidates, leftOut = [] }: CandidatesRead,
): readonly { readonly label: string; readonly outcome: Outcome }[] {
  const texts = candidates.map(({ quote, text, context = [], confidence }) => ({
    text: loose([quote, text, ...context.map((part) => part.quote)].join(' ')),
    outcome: confidence >= minConfidence ? ('candidate' as const) : ('doubtful' as const),
  }));
  const others = leftOut.map(({ quote }) => loose(quote));
  return labels.map((label) => {
    const wanted = loose(label);
    const found = texts.filter(({ text }) => text.includes(wanted)).map(({ outcome }) => outcome);
    const outcome = found.includes('candidate')
      ? 'candidate'
      : found.length > 0
        ? 'doubtful'
        : others.some((text) => text.includes(wanted))
          ? 'reason'
          : 'lost';
    return { label, outcome };
  });
}
