import type { InteractionPolicy } from './interaction-policy.js';

/** How long a message is at talkativeness 0 and 1, in characters: one sentence, and half a screen. */
const MIN_MESSAGE_CHARACTERS = 160;
const MAX_MESSAGE_CHARACTERS = 1_600;

/** Instructions to Summarizer about wording, by conversation style. */
const wordings: Readonly<Record<InteractionPolicy['conversationStyle'], string>> = {
  concise: 'Use short statements. Leave out greetings, reasons and repetitions.',
  standard: 'Use plain sentences. Give a reason where a decision is asked for.',
  conversational: 'Write as in a conversation. Refer to what the person said.',
  coach: 'Write as a coach. Name the progress, then the next step and why it matters.',
};

/** Instructions to Summarizer about tone. */
const tones: Readonly<Record<InteractionPolicy['tone'], string>> = {
  neutral: 'Neither praise nor criticise.',
  friendly: 'Be warm and encouraging.',
  clinical: 'State facts and figures only.',
};

export interface MessageStyle {
  /** Maximum length of the message in characters. */
  readonly maxCharacters: number;
  /** Sentences for the instruction of Summarizer. */
  readonly wording: string;
  readonly tone: string;
}

/** Returns how Summarizer writes a message: length by talkativeness, wording by conversation style and tone. */
export function getMessageStyle({
  conversationStyle,
  talkativeness,
  tone,
}: Pick<InteractionPolicy, 'conversationStyle' | 'talkativeness' | 'tone'>): MessageStyle {
  const range = MAX_MESSAGE_CHARACTERS - MIN_MESSAGE_CHARACTERS;
  return {
    maxCharacters: MIN_MESSAGE_CHARACTERS + Math.round(range * talkativeness),
    wording: wordings[conversationStyle],
    tone: tones[tone],
  };
}
