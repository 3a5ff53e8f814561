import { readFileSync } from 'node:fs';
import { makeCraneHandbook, makeLastenheft } from '@phaseline/formats/testing';
import type { Modality } from '@phaseline/contracts';

/** A document annotated by hand: each requirement with its modality and words that occur only in it. */
export interface LabelledDocument {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly requirements: readonly (readonly [Modality, string])[];
}

const readBytes = (name: string): Uint8Array => readFileSync(new URL(`./${name}`, import.meta.url));

const protocol: LabelledDocument = {
  name: 'retry-protocol.md',
  bytes: readBytes('retry-protocol.md'),
  requirements: [
    ['obligation', 'MUST try to deliver'],
    ['prohibition', 'It MUST NOT deliver a message after'],
    ['obligation', 'the gateway SHALL try again'],
    ['obligation', 'does not know a flag `MUST` ignore it'],
    ['recommendation', 'Receivers SHOULD answer'],
    ['obligation', 'MUST be at least 1 s'],
    ['prohibition', 'MUST NOT be longer than 1 h'],
    ['recommendation', 'SHOULD grow'],
    ['obligation', 'keep the message on durable storage'],
    ['obligation', 'keep its position'],
    ['obligation', 'count the attempts'],
    ['obligation', 'MUST use one of the following'],
    ['obligation', 'SHALL give up in any case'],
    ['obligation', 'MUST send a report'],
    ['obligation', 'Only the sender MAY'],
    ['obligation', '`id` | REQUIRED'],
    ['obligation', '`reason` | REQUIRED'],
    ['optional', '`trace` | OPTIONAL'],
    ['obligation', 'If given, MUST be the attempts'],
    ['recommendation', '`hint` | RECOMMENDED'],
    ['optional', 'Support for priorities is OPTIONAL'],
    ['obligation', 'MUST accept the values'],
    ['prohibition', 'No gateway MAY drop'],
    ['recommendation', 'The RECOMMENDED default'],
    ['permission', 'Gateways MAY merge reports'],
  ],
};

const agreement: LabelledDocument = {
  name: 'hosting-agreement.txt',
  bytes: readBytes('hosting-agreement.txt'),
  requirements: [
    ['obligation', 'shall keep the platform available'],
    ['obligation', 'Availability is to be measured'],
    ['obligation', 'Maintenance has to be announced'],
    ['prohibition', 'shall not give access'],
    ['prohibition', 'No employee may copy'],
    ['obligation', 'Backups are required'],
    ['obligation', 'employ only staff'],
    ['obligation', 'name a contact'],
    ['obligation', 'report each breach'],
    ['obligation', 'it shall pass the call on'],
    ['obligation', 'is obliged to keep passwords'],
    ['prohibition', 'may not be shared'],
    ['obligation', 'may only use the platform'],
    ['recommendation', 'should report faults'],
    ['recommendation', 'It is recommended to add'],
    ['prohibition', 'mail is prohibited'],
    ['prohibition', 'Port scans are not permitted'],
    ['obligation', 'undertakes to inform'],
    ['obligation', 'have to be made in writing'],
    ['prohibition', 'Neither party may assign'],
  ],
};

const filing: LabelledDocument = {
  name: 'aktenordnung.md',
  bytes: readBytes('aktenordnung.md'),
  requirements: [
    ['obligation', 'vollständig, einheitlich und übersichtlich zu führen'],
    ['obligation', 'hat jeden Vorgang zeitnah'],
    ['obligation', 'muss ein Aktenzeichen tragen'],
    ['obligation', 'spätestens am 3. Werktag'],
    ['prohibition', 'dürfen nicht doppelt vergeben'],
    ['obligation', 'alle ein- und ausgehenden Schreiben'],
    ['obligation', 'Vermerke über Gespräche'],
    ['obligation', 'Entwürfe, soweit'],
    ['obligation', 'nach Dienstschluss verschlossen'],
    ['obligation', 'nur Berechtigte Zugang'],
    ['obligation', 'ist die Leitung unverzüglich zu unterrichten'],
    ['obligation', 'dürfen nur in den Diensträumen'],
    ['recommendation', 'Kopien sollen vermieden'],
    ['prohibition', 'ist untersagt'],
    ['obligation', 'bedarf der schriftlichen Genehmigung'],
    ['obligation', 'Die Einsicht ist zu gewähren'],
    ['obligation', 'ist verpflichtet, den Antrag'],
    ['obligation', 'hat sich auszuweisen'],
    ['recommendation', 'Es wird empfohlen'],
    ['obligation', 'auszusondern'],
    ['obligation', 'muss das Archiv gehört werden'],
    ['obligation', 'Die Vernichtung ist zu dokumentieren'],
  ],
};

const network: LabelledDocument = {
  name: 'baustein-netz.md',
  bytes: readBytes('baustein-netz.md'),
  requirements: [
    ['obligation', 'Das Netz MUSS dokumentiert'],
    ['obligation', 'MUSS mindestens folgende Punkte'],
    ['obligation', 'einen Netzplan'],
    ['obligation', 'eine Liste der Dienste'],
    ['obligation', 'die Zuständigkeiten'],
    ['prohibition', 'DÜRFEN NICHT ohne Freigabe'],
    ['obligation', 'MÜSSEN in getrennten Segmenten'],
    ['prohibition', 'DARF KEIN ungefilterter'],
    ['obligation', 'DÜRFEN NUR in einem eigenen'],
    ['recommendation', 'Es SOLLTE regelmäßig'],
    ['recommendation', 'SOLLTEN entfernt werden'],
    ['discouraged', 'SOLLTEN NICHT von Hand'],
    ['permission', 'KANN automatisiert'],
  ],
};

const portal: LabelledDocument = {
  name: 'portal.html',
  bytes: readBytes('portal.html'),
  requirements: [
    ['obligation', 'Suppliers & buyers must register'],
    ['obligation', 'Each account must belong'],
    ['prohibition', 'Accounts must not be shared'],
    ['obligation', 'needs to have at least twelve'],
    ['obligation', 'Passwords have to be changed'],
    ['obligation', 'is to be shown to the user'],
    ['obligation', 'the number of the part'],
    ['obligation', 'the price without tax'],
    ['obligation', 'the time of delivery'],
    ['obligation', 'part | yes'],
    ['obligation', 'price | yes'],
    ['prohibition', 'Price in euros; must not be negative'],
    ['obligation', 'Must be a PDF file'],
    ['obligation', 'A certificate is required'],
  ],
};

const handbook: LabelledDocument = {
  name: 'handbook.pdf',
  bytes: makeCraneHandbook(),
  requirements: [
    ['obligation', 'Every crane must be inspected'],
    ['obligation', 'The inspection has to be recorded'],
    ['prohibition', 'tired must not work'],
    ['obligation', 'The operator shall check the following'],
    ['obligation', 'the hook and its safety catch'],
    ['obligation', 'including the emergency brake'],
    ['obligation', 'the limit switches'],
    ['obligation', 'may only be moved'],
    ['obligation', 'The release is to be given'],
    ['obligation', 'The outriggers must be extended'],
    ['prohibition', 'Persons must never be lifted'],
    ['recommendation', 'Two-part loads should'],
    ['obligation', 'The key shall be handed in'],
    ['obligation', 'Lights are required'],
  ],
};

const timeKeeping: LabelledDocument = {
  name: 'lastenheft.docx',
  bytes: makeLastenheft(),
  requirements: [
    ['obligation', 'Erfassen von Beginn'],
    ['obligation', 'Auswertung je Monat'],
    ['obligation', 'Das System muss im Browser'],
    ['obligation', 'Die Anmeldung hat über'],
    ['prohibition', 'Kennwörter dürfen nicht'],
    ['obligation', 'mindestens zwei Jahre aufzubewahren'],
    ['recommendation', 'sollten begründet werden'],
    ['obligation', 'A1 | Buchung'],
    ['recommendation', 'A2 | Erinnerung'],
    ['obligation', 'Der Export muss CSV'],
    ['obligation', 'barrierefrei zu gestalten'],
  ],
};

export const labelledSet: readonly LabelledDocument[] = [
  protocol,
  agreement,
  filing,
  network,
  portal,
  handbook,
  timeKeeping,
];
