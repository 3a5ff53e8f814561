/** One of the seven values that say how the planner deals with a person, as the API has it. A spec compares them with those of the planner. */
export interface Slider {
  readonly key: string;
  /** As the option of `phaseline plan` is called. */
  readonly title: string;
  readonly help: string;
  /** What holds where a person has set nothing. */
  readonly usual: string;
  /** What can be chosen; a slider without choices is a number from 0 to 1. */
  readonly values?: readonly string[];
  readonly isNumber?: boolean;
}

export const sliders: readonly Slider[] = [
  {
    key: 'conversationStyle',
    title: 'Style',
    help: 'Wording of messages. While it is not set, the planner asks once.',
    usual: 'standard',
    values: ['concise', 'standard', 'conversational', 'coach'],
  },
  {
    key: 'talkativeness',
    title: 'Talkativeness',
    help: 'Length of messages: a number from 0 to 1.',
    usual: '0.5',
    isNumber: true,
  },
  {
    key: 'autonomy',
    title: 'Autonomy',
    help: 'High: the planner decides itself. Medium: it asks when it is unsure. Low: also before it chooses an option or applies a fix.',
    usual: 'medium',
    values: ['high', 'medium', 'low'],
  },
  {
    key: 'brainstormingPreference',
    title: 'Brainstorming',
    help: 'When ideas are offered.',
    usual: 'suggest_when_uncertain',
    values: ['on_demand', 'suggest_when_uncertain', 'always_offer'],
  },
  {
    key: 'approvalPolicy',
    title: 'Approvals',
    help: 'What you approve: the schedule, also outline and roadmap, or every step.',
    usual: 'single_final',
    values: ['single_final', 'milestone_approvals', 'strict_every_step'],
  },
  {
    key: 'probingDepth',
    title: 'Questions',
    help: 'How many are asked at once. What is not asked becomes a recorded assumption.',
    usual: '2',
    values: ['0', '1', '2', '3'],
    isNumber: true,
  },
  {
    key: 'tone',
    title: 'Tone',
    help: 'Tone of messages.',
    usual: 'neutral',
    values: ['neutral', 'friendly', 'clinical'],
  },
];

/** What a person has entered for each slider, as texts by key. An empty text sets nothing. */
export type SliderTexts = Readonly<Record<string, string>>;

/** Finds the texts that are outside the range of their slider, by key. A slider with choices has no other value. */
export function checkSliders(texts: SliderTexts): Readonly<Record<string, string>> {
  const isInRange = (value: number): boolean => value >= 0 && value <= 1;
  const wrong = sliders.filter(({ key, values }) => values === undefined && !isInRange(Number(texts[key] ?? '')));
  return Object.fromEntries(wrong.map(({ key }) => [key, 'Expected a number from 0 to 1, such as 0.5.']));
}

/** Returns the value of the API for a text that `checkSliders` accepts; null for an empty one. */
export function toSliderValue({ isNumber = false }: Slider, text: string): string | number | null {
  if (text.trim() === '') return null;
  return isNumber ? Number(text) : text;
}
