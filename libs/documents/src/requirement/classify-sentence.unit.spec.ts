import { describe, expect, it } from 'vitest';
import { classifySentence, explainSentence, type SentenceContext } from './classify-sentence.js';

const plain: SentenceContext = { convention: { en: false, de: false }, lowerCase: 'auto', role: 'normative', code: [] };
const capitals: SentenceContext = { ...plain, convention: { en: true, de: true } };

/** Returns the modality, or undefined below the confidence at which the tools report a requirement. */
function findModality(sentence: string, context = plain): string | undefined {
  const finding = classifySentence(sentence, context);
  return finding && finding.confidence >= 0.5 ? finding.modality : undefined;
}

describe('key words in capitals', () => {
  it.each([
    ['Clients MUST answer.', 'obligation'],
    ['Clients MUST NOT answer.', 'prohibition'],
    ['Clients SHALL, in any case, answer.', 'obligation'],
    ['No client MAY answer.', 'prohibition'],
    ['Only clients MAY answer.', 'obligation'],
    ['The header is REQUIRED.', 'obligation'],
    ['The header is NOT RECOMMENDED.', 'discouraged'],
    ['Clients SHOULD NOT answer twice.', 'discouraged'],
    ['The RECOMMENDED action is to wait.', 'recommendation'],
    ['OPTIONAL', 'optional'],
    ['Clients MAY answer and MUST log it.', 'obligation'],
    ['Clients `MUST` answer.', 'obligation'],
    ['For example, it MUST be set.', 'obligation'],
    ['Der Betrieb MUSS prüfen.', 'obligation'],
    ['Der Betrieb DARF die Daten NICHT löschen.', 'prohibition'],
    ['Regeln SOLLTEN NICHT geteilt werden.', 'discouraged'],
    ['Geräte DÜRFEN NUR getrennt laufen.', 'obligation'],
  ])('%s', (sentence, modality) => {
    expect(findModality(sentence, capitals)).toBe(modality);
  });

  it.each([
    'The key words "MUST", "MUST NOT" and "MAY" are to be interpreted as described in RFC 2119.',
    'The key words MUST, SHOULD, and MAY in this document are to be interpreted as described in BCP 14.',
    'The word "MUST" is used for absolute requirements.',
    'See section 2 for the definition of OPTIONAL.',
    'MUST: This word means an absolute requirement.',
    'Set the `MUST_REVALIDATE` flag.',
    'Clients must answer, and should log it.',
    'Server müssen antworten.',
  ])('do not oblige when they are only mentioned or in lower case: %s', (sentence) => {
    expect(findModality(sentence, capitals)).toBeUndefined();
  });

  it('are ordinary words in a text in all capitals', () => {
    expect(
      findModality('THE SOFTWARE IS PROVIDED AS IS AND THE LICENSEE SHALL BEAR ALL RISK OF ITS USE.', capitals),
    ).toBe('obligation');
    expect(
      classifySentence('THE SOFTWARE MAY CONTAIN ERRORS AND THEY MAY CAUSE A LOSS OF DATA.', capitals)?.isUpperCase,
    ).toBe(false);
  });
});

describe('obligations in plain English', () => {
  it.each([
    ['Visitors must sign in.', 'obligation'],
    ['Visitors mustn’t smoke.', 'prohibition'],
    ['Doors shall never be blocked.', 'prohibition'],
    ['Records are to be kept for ten years.', 'obligation'],
    ['The form has to be signed.', 'obligation'],
    ['The log needs to be archived.', 'obligation'],
    ['A helmet is required on site.', 'obligation'],
    ['Staff are obliged to report accidents.', 'obligation'],
    ['Smoking is prohibited.', 'prohibition'],
    ['Keys may not be copied.', 'prohibition'],
    ['Neither party may assign this agreement.', 'prohibition'],
    ['The key may only be used at night.', 'obligation'],
    ['Visitors should wear a badge.', 'recommendation'],
    ['One ought to knock first.', 'recommendation'],
    ['Loose clothing is not recommended.', 'discouraged'],
    ['Do not open the case.', 'prohibition'],
    ['If the light is red, the operator must stop.', 'obligation'],
    ['As soon as it rings, the door must be closed.', 'obligation'],
    ['The key used to sign tokens must be rotated every 30 days.', 'obligation'],
    ['The previously issued certificate must be revoked.', 'obligation'],
    ['Tools formerly known as Lamp must be renamed.', 'obligation'],
    ['When the alarm rings the operator must stop the pump.', 'obligation'],
    ['If the light is red the driver must stop.', 'obligation'],
  ])('%s', (sentence, modality) => {
    expect(findModality(sentence)).toBe(modality);
  });

  it.each([
    'This must have been a mistake.',
    'The title must be understood as a description.',
    'It must be noted that the office is closed.',
    'It may well be that nobody answers.',
    'The report may not be available yet.',
    'Should the pump fail, call us.',
    'The goal is to save time.',
    'The section describes how clients must answer.',
    'What the customer must pay is set out below.',
    'If the operator must stop, call us.',
    'Must I sign it?',
    'He said that all visitors must sign in.',
    'In an earlier edition, visitors had to sign and must pay.',
    'The word "must" has four letters.',
    'The form does not have to be signed.',
    'The members need not agree.',
    'There is no need to sign.',
    'Access is on a business need to know basis.',
    'This jacket is a must in winter.',
    'The guest may stay for a night.',
    'Nothing in this agreement shall limit liability.',
    '"Goods" shall mean the items in the list.',
    'For instance, a driver must stop here.',
    'We must admit that it was late.',
  ])('are not found in: %s', (sentence) => {
    expect(findModality(sentence)).toBeUndefined();
  });

  it('are ignored if the document writes its key words in capitals, unless they are requested', () => {
    expect(findModality('Visitors must sign in.', capitals)).toBeUndefined();
    expect(findModality('Visitors must sign in.', { ...capitals, lowerCase: 'report' })).toBe('obligation');
    expect(findModality('Visitors must sign in.', { ...plain, lowerCase: 'ignore' })).toBeUndefined();
  });
});

describe('recommendations and obligations in other words', () => {
  it.each([
    ['We recommend that you read the printed version.', 'recommendation'],
    ['It is advisable to lock the door.', 'recommendation'],
    ['It is the responsibility of the callback to free the data.', 'obligation'],
    ["It is the application's responsibility to close it.", 'obligation'],
    ['The responsibility to choose a recipe lies with the user.', 'obligation'],
    ['Empty values are only permitted in source files.', 'obligation'],
    ['It may no longer be used as a name.', 'prohibition'],
    ['It opens a file, only calls with a handle may be made.', 'obligation'],
    ['It is an error to close the door twice.', 'prohibition'],
    ['Maintainer (mandatory)', 'obligation'],
    ['Section (recommended)', 'recommendation'],
  ])('%s', (sentence, modality) => {
    expect(findModality(sentence)).toBe(modality);
  });

  it.each([
    ['It would be good to lock the door.', 'recommendation'],
    ['It is preferable to lock the door.', 'recommendation'],
    ['It is better to lock the door.', 'recommendation'],
    ['Ideally, the door is locked.', 'recommendation'],
    ['Locking the door is a good idea.', 'recommendation'],
    ['It is good practice to ask first.', 'recommendation'],
    ['Leaving the door open is a bad idea.', 'discouraged'],
    ['It is unsafe to leave the door open.', 'discouraged'],
    ['You may want to lock the door.', 'recommendation'],
    ["You'd better lock the door.", 'obligation'],
    ['It requires having a key.', 'obligation'],
    ['Recommended algorithms are A and B.', 'recommendation'],
    ['It can only be called once.', 'obligation'],
    ['Set a good root password', 'obligation'],
    ['Also mark the doors that are used.', 'obligation'],
    ['Generally, disable services that nobody uses.', 'obligation'],
    ['If the door is open, close it.', 'obligation'],
    ['To avoid confusion, check the name.', 'obligation'],
    ['It is at the door; ask for the key.', 'obligation'],
    ['Consider making the file read-only.', 'recommendation'],
    ['Tweak /etc/door so that it closes.', 'obligation'],
    ['It is important to lock the door.', 'obligation'],
    ['The guard is also supposed to lock the door.', 'obligation'],
    ['Führen Sie dies nur einmal aus.', 'obligation'],
    ['Werkzeuge, wie Hämmer, sollten im Kasten liegen.', 'recommendation'],
    ['Falls die Tür offen ist, schließen Sie sie.', 'obligation'],
    ['Am Ende versuchen Sie, die Tür zu öffnen.', 'obligation'],
    ['Seien Sie freundlich zu Besuchern.', 'obligation'],
    ['Das Gerät erfordert eine Sicherung.', 'obligation'],
    ['Die Fassungen benötigen eine Nummer.', 'obligation'],
    ['Die Tür kann klemmen, es ist sicherer, sie offen zu lassen.', 'obligation'],
  ])('are doubtful: %s', (sentence, modality) => {
    const finding = classifySentence(sentence, plain);
    expect(finding?.modality).toBe(modality);
    expect(finding?.confidence).toBeGreaterThan(0.3);
    expect(finding?.confidence).toBeLessThan(0.5);
  });

  it.each([
    ['Links may not contain other links.', 'prohibition'],
    ['The door would need to be locked.', 'obligation'],
    ['The key would have to be copied.', 'obligation'],
    ['You will need all of the keys.', 'obligation'],
    ['These are the files, which are required for all doors.', 'obligation'],
  ])('are the most doubtful: %s', (sentence, modality) => {
    expect(classifySentence(sentence, plain)).toMatchObject({ modality, confidence: 0.3 });
  });

  it.each([
    ['Stellen Sie sicher, dass die Tür zu ist, wenn Sie gehen.', 'obligation'],
    ['Sorgen Sie dafür, dass die Tür zu ist.', 'obligation'],
    ['Verlassen Sie sich nicht darauf, dass die Tür zu ist.', 'prohibition'],
    ['Senden Sie keine Schlüssel mit der Post.', 'prohibition'],
    ['Dafür empfehlen wir einen Schlüssel.', 'recommendation'],
    ['Ich empfehle einen Schlüssel.', 'recommendation'],
    ['Falls die Tür klemmt, sollten Sie den Hausmeister rufen.', 'recommendation'],
    ['Um die Tür zu öffnen, sollte der Schlüssel stecken.', 'recommendation'],
  ])('in German: %s', (sentence, modality) => {
    expect(findModality(sentence)).toBe(modality);
  });

  it.each([
    'Use of the door is free.',
    'Set of keys: three.',
    'The commands are set, use and check.',
    'The program will use the file.',
    'Haben Sie eine Frage, so rufen wir an.',
    'Damit erhalten Sie eine Liste.',
    'The door was open.',
  ])('are not found in: %s', (sentence) => {
    expect(classifySentence(sentence, plain)).toBeUndefined();
  });

  it.each([
    'A flag that says whether the number should be large.',
    'There should be no need to set this.',
    'Rufen Sie an, sollte eine Akte fehlen.',
  ])('are not reported for: %s', (sentence) => {
    expect(findModality(sentence)).toBeUndefined();
  });
});

describe('obligations in plain German', () => {
  it.each([
    ['Die Akte muss ein Zeichen tragen.', 'obligation'],
    ['Die Daten sind nach zwei Jahren zu löschen.', 'obligation'],
    ['Akten sind vollständig, einheitlich und übersichtlich zu führen.', 'obligation'],
    ['Die Anzeige ist bis zum 3. Werktag bei der Behörde einzureichen.', 'obligation'],
    ['Der Betreiber hat die Prüfung nachzuweisen.', 'obligation'],
    ['Der Anbieter hat, soweit dies zumutbar ist, Vorkehrungen zu treffen.', 'obligation'],
    ['Der Auftragnehmer ist verpflichtet, Unterlagen herauszugeben.', 'obligation'],
    ['Eine Kopie darf der Betreiber ohne Zustimmung nicht anfertigen.', 'prohibition'],
    ['Daten dürfen keinem Dritten übermittelt werden.', 'prohibition'],
    ['Akten dürfen nur hier gelesen werden.', 'obligation'],
    ['Das Rauchen ist im Archiv untersagt.', 'prohibition'],
    ['Die Mitnahme ist nicht gestattet.', 'prohibition'],
    ['Eine Ausnahme bedarf der Genehmigung.', 'obligation'],
    ['Eine Sicherung ist zwingend erforderlich.', 'obligation'],
    ['Kopien sollten vermieden werden.', 'recommendation'],
    ['Es wird empfohlen, einen Termin zu vereinbaren.', 'recommendation'],
    ['Wer Einsicht nimmt, hat sich auszuweisen.', 'obligation'],
    ['Der früher erteilte Ausweis muss zurückgegeben werden.', 'obligation'],
    ['Die bisher genutzten Schlüssel sind zu vernichten.', 'obligation'],
    ['Wenn der Alarm läutet, müssen alle das Haus verlassen.', 'obligation'],
  ])('%s', (sentence, modality) => {
    expect(findModality(sentence)).toBe(modality);
  });

  it.each([
    'Der Deckel muss nicht rot sein.',
    'Bisher mussten Stunden notiert werden.',
    'Sollte eine Akte fehlen, rufen Sie an.',
    'Es ist davon auszugehen, dass es regnet.',
    'Der Wert ist der Tabelle zu entnehmen.',
    'Ein Ausfall ist nicht auszuschließen.',
    'Es ist wichtig zu wissen, wer kommt.',
    'Das Ziel ist, Platz zu gewinnen.',
    'Ob die Akte neu angelegt werden muss, entscheidet die Leitung.',
    'Wer wie viel zu zahlen hat, ergibt sich aus der Ordnung.',
    'Dieses Dokument soll einen Überblick geben.',
    'Ist der Tag nicht festzustellen, endet die Frist nach einem Jahr.',
    'Eine Begründung ist nicht erforderlich.',
    'Das Archiv kann Ausnahmen zulassen.',
    'Die Behörde hat das Recht, Unterlagen zu verlangen.',
    'Beispiel: Der Vermerk muss so aussehen.',
  ])('are not found in: %s', (sentence) => {
    expect(findModality(sentence)).toBeUndefined();
  });
});

describe('the confidence', () => {
  it('states how certain the extraction is, not how strong the word is', () => {
    const [must, should, ought] = ['must', 'should', 'ought to'].map(
      (word) => classifySentence(`Visitors ${word} wear a badge.`, plain)?.confidence ?? 0,
    );
    for (const confidence of [must, should, ought]) expect(confidence).toBeGreaterThanOrEqual(0.8);
    const [MUST, MAY] = ['MUST', 'MAY'].map((word) => classifySentence(`Clients ${word} wait.`, capitals)?.confidence);
    expect(MAY).toBe(MUST);
  });

  it.each([
    'Formerly, all visitors must sign in.',
    'Previously, keys must be kept by the guard.',
    'If the light is red the driver must stop, and then go on.',
    'Früher müssen alle Akten versiegelt werden.',
    'The clerk is responsible for the archive.',
    'Please close the door.',
  ])('is below 0.5 for a doubtful sentence: %s', (sentence) => {
    const { finding } = explainSentence(sentence, plain);
    expect(finding?.confidence).toBeGreaterThan(0);
    expect(finding?.confidence).toBeLessThan(0.5);
  });
});

describe('an omitted sentence', () => {
  it.each([
    ['If the operator must stop, a lamp goes on.', 'must', 'condition'],
    ['He said that all visitors must sign in.', 'must', 'somebody said'],
    ['The section describes how clients must answer.', 'must', 'indirect question'],
    ['The word "must" has four letters.', 'must', 'only mentioned'],
    ['It must be noted that the office is closed.', 'must', 'another sense'],
    ['Files that are needed do not expire.', 'needed', 'no rule'],
    ['Ob die Akte neu angelegt werden muss, entscheidet die Leitung.', 'muss', 'question'],
  ])('has a reason: %s', (sentence, keyword, reason) => {
    const { finding, omitted } = explainSentence(sentence, plain);
    expect(finding).toBeUndefined();
    expect(omitted).toMatchObject({ keyword, reason: expect.stringContaining(reason) as string });
  });

  it('has a reason if the document writes its key words in capitals', () => {
    expect(explainSentence('Clients must answer.', capitals).omitted?.reason).toContain('lower case');
  });
});

describe('hostile sentences', () => {
  it.each([
    ['quotes', 'keyword MUST "'],
    ['enumerations', 'sind a, b, c und d, '],
    ['clauses', 'must that which who is to be '],
    ['infinitives', 'zu gehen und zu gehen und '],
    ['bars', 'MUST | '],
    ['instructions', 'if a, set b, also then use it; '],
    ['instructions in German', 'Falls a, setzen Sie und '],
    ['advice', 'is it is a very good idea only be '],
    ['questions', 'whether it is a should '],
  ])('made only of %s are classified in bounded time', (_, piece) => {
    const sentence = piece.repeat(3_000);
    // A pattern with unbounded backtracking would run into the timeout of the test.
    expect(() => classifySentence(sentence, plain)).not.toThrow();
  });
});
