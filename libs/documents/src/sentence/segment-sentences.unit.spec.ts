import { describe, expect, it } from 'vitest';
import { segmentSentences } from './segment-sentences.js';

const split = (text: string): string[] => segmentSentences(text).map(({ from, to }) => text.slice(from, to));

describe('segmentSentences', () => {
  it.each([
    ['abbreviations', 'Use e.g. HTTP or i.e. TLS. See Fig. 3, cf. Sec. 4 vs. Annex B. Done.', 3],
    [
      'German abbreviations',
      'Das gilt z. B. für Akten. Vgl. § 5 Abs. 2 Nr. 3 BGB. Die max. Größe ist 3 MB, ggf. mehr.',
      3,
    ],
    ['ordinals', 'Die Frist endet am 3. Oktober. Der 2. Satz gilt. Nach § 4 gilt Absatz 3. Die Prüfung folgt.', 4],
    [
      'initials and places',
      'J. Smith wrote it. U.S. Government offices keep it. It is in Annex A. The rest is not.',
      4,
    ],
    ['code and addresses', 'Set `a.B`. `c` stays. See https://a.example/b.C and spec.md. It ends.', 4],
    ['enumerators', '1. The operator acts. 2. It stops. (a) now or (b) later. Version 1.0.3 is out.', 3],
    ['units and closing quotes', 'Wait for 5 s. Then say “stop.” The rest (see below.) follows. Is it? Yes!', 5],
    ['units that look like abbreviations', 'Answer within 5 ms. It must not take 2 min. Wait.', 3],
    ['punctuation marks within a word', 'Scripts must start with "#!/bin/sh" and end. Set a!=b or !important. Go!', 3],
    [
      'punctuation marks within brackets and quotes',
      'The panel (see "Stop! Wait! Go!" below) must be locked. Done!',
      2,
    ],
    ['abbreviations that end a sentence', 'Bring paper, ink etc. The rest is here. The answer is no. Next.', 4],
  ])('handles %s', (_, text, sentences) => {
    expect(split(text)).toHaveLength(sentences);
  });

  it('keeps all words, and returns correct offsets', () => {
    const text = '  One. Two, e.g. `x. Y`. Three  ';
    expect(split(text)).toEqual(['One.', 'Two, e.g. `x. Y`.', 'Three']);
  });
});
