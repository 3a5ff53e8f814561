/** Phrases, each with the words that replace it because its single words would mislead. */
export const PHRASE_MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/\blook(?:ing|s)?(?: up| for)\b/g, 'search'],
  [/\b(?:get|getting) rid of\b|\b(?:take|throw|cut)s?(?: it| them)?(?: out| away| off)\b/g, 'delete'],
  [/\b(?:write|note|jot)s? (?:\w+ )?down\b|\bkeep in mind\b|\bremember that\b/g, 'add note fact'],
  [/\bset(?:ting)? up\b/g, 'create'],
  [/\b(?:turn|switch)(?:ing)?(?: \w+)? (?:on|off)\b/g, 'toggle'],
  [/\bfill(?:ing)? (?:in|out)\b/g, 'fill'],
  [/\b(?:write|get) back\b/g, 'reply'],
  [/\bgo(?:ing)? back\b|\breturn(?:ing)? to\b/g, 'navigate back'],
  [/\bcatch up\b/g, 'read history'],
  [/\bhold on\b/g, 'wait'],
  [/\b(?:stored|saved|known?|anything|something)(?: \w+)? (?:about|on)\b/g, 'search knowledge'],
  [/\bhow (?:\w+ )*looks?\b|\blooks? like\b/g, 'screenshot'],
  [/\bc[ao]mes? back\b/g, 'response'],
  [/\bpart of\b|\bbits? of\b|\bpieces? of\b/g, ''],
  [/\bput(?:ting)? together\b/g, 'combine'],
  [/\badd(?:ing|s)? up\b/g, 'sum'],
  [/\bkeep an eye on\b/g, 'monitor'],
  [/\bpop(?:s|ped)?[ -]up\b/g, 'popup'],
  [/\bdrop[ -]?down\b/g, 'dropdown'],
  [/\bcheck ?box\b/g, 'checkbox'],
  [/\bup[ -]to[ -]date\b|\bis behind\b/g, 'update'],
  [/\bat once\b|\btogether\b|\bin one go\b|\bboth\b|\bseveral\b/g, 'multiple'],
  [/\bhow (?:big|large|long)\b/g, 'size'],
];

/** Question words, each with the words that they imply. Implied words count less than stated ones. */
export const QUESTION_MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/\bhow (?:many|much)\b/, 'count list'],
  [/\bwho\b/, 'user'],
  [/\bwhen\b/, 'time'],
  [/\bwhere\b/, 'search'],
  [/\bwhy\b|\bwhat makes\b/, 'analyze'],
  [/\bwhich\b|\bare there\b/, 'list search'],
  [/\bwhat\b/, 'get list'],
  [/\b(?:i|we) need\b/, 'create'],
];
