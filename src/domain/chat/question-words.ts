import { functionWordSet } from '#src/domain/embed-locally/stop-words.ts';

/** Languages of the fixed sentences. */
export type QuestionLanguage = 'en' | 'de' | 'fr';
export const questionLanguages = ['en', 'de', 'fr'] as const satisfies readonly QuestionLanguage[];

/** Question words, folded as by `foldText`; they do not name a subject. */
const asking: Readonly<Record<QuestionLanguage, string>> = {
  en: `what whats which who whom whose when where why how much many does did say says said tell show give find list please
    document documents file files page there know want need get any mention mentions mentioned state stated contain contains
    written wrote write high large big signed sent look see also must shall should may might would could can will cannot
    start starts begin begins end ends happen happens take takes place called about also too then and about it its that this these those they them he she here`,
  de: `was welche welcher welches welchen welchem wer wen wem wessen wann wo warum wieso weshalb wie viel viele wieviel
    zeig zeige sag sage nenn nenne finde such suche bitte dokument dokumente dokumenten datei seite steht stehen gibt es
    lautet heisst hoch gross lang diese diesem diesen dieser dieses muss mussen soll sollte darf kann konnen beginnt endet findet statt geschrieben dort hier dazu davon darin denn dann noch auch und`,
  fr: `que quoi quel quelle quels quelles qui quand ou pourquoi comment combien montre dis donne trouve cherche svp document
    documents fichier page est ce il elle y a t et doit peut faut commence finit ecrit aussi dit ecrit la dedans cela ca`,
};

/** Words for kinds of documents. They narrow the search, but the text need not contain them. */
export const kindWords: ReadonlySet<string> = new Set(
  `invoice bill receipt letter form statement contract report memo note flyer photo picture scan image
   rechnung beleg quittung kassenbon brief formular auszug kontoauszug vertrag bericht notiz foto bild
   facture recu lettre formulaire releve contrat rapport`.split(/\s+/),
);

/** A question with only these words asks for a summary. */
export const gistWords: ReadonlySet<string> = new Set(
  `summary summarize summarise summarized overview describe description gist content contents topic explain
   zusammenfassung zusammen fasse fass zusammenfassen uberblick geht inhalt beschreibe beschreibung beschreib thema worum handelt
   resume resumer apercu contenu parle sujet decris description`.split(/\s+/),
);

/** First words of a question that continues the previous one. */
export const followUpWords: ReadonlySet<string> = new Set(
  `and it its that this those these they them their he she his her there also
   und davon dazu darin dieser diese dieses deren dessen sein seine ihr ihre
   et celui celle ceux cela ca son sa ses leur y`.split(/\s+/),
);

/** Groups of words with the same meaning, in all supported languages. */
const meanings: readonly (readonly string[])[] = [
  'telephone phone tel call telefon telefonnummer rufnummer',
  'email mail courriel',
  'invoice bill rechnung facture',
  'receipt quittung beleg kassenbon recu',
  'letter brief lettre',
  'form formular formulaire',
  'contract vertrag contrat',
  'statement auszug kontoauszug releve',
  'total sum amount betrag summe gesamtsumme gesamtbetrag rechnungsbetrag rechnungssumme endbetrag gesamt montant somme',
  'price cost fee preis kosten kostet gebuhr prix cout',
  'due deadline payable owe owed fallig falligkeit frist echeance',
  'date datum',
  'tax vat mwst ust steuer tva taxe',
  'address adresse anschrift',
  'customer client kunde kundin',
  'number nummer numero',
  'account konto compte',
  'pay paid payment zahlen bezahlen bezahlt zahlung payer paye paiement',
  'company firm firma unternehmen entreprise societe',
].map((words) => words.split(' '));

/** The word for the total amount of a document. */
export const totalWord = 'total';

export function wordsLike(word: string): readonly string[] {
  return meanings.find((words) => words.includes(word)) ?? [word];
}

export function askingWordSets(): Readonly<Record<QuestionLanguage, ReadonlySet<string>>> {
  const setOf = (language: QuestionLanguage): ReadonlySet<string> =>
    new Set([...asking[language].split(/\s+/), ...functionWordSet(language)]);
  return { en: setOf('en'), de: setOf('de'), fr: setOf('fr') };
}
