import type { Scan } from '#test/tools/chat/support/chat-app.ts';

export interface Answerable {
  readonly question: string;
  readonly scan: Scan;
  /** Stands in the recognized text, letter by letter but for line ends. */
  readonly fact: string;
}

export const answerable: readonly Answerable[] = [
  { question: 'What is the total on the receipt from Peppercorn Grocers?', scan: 'receipt', fact: 'TOTAL EUR 29.41' },
  { question: 'How much did the olive oil cost?', scan: 'receipt', fact: 'OLIVE OIL EXTRA 750ML 9.49' },
  { question: 'What is the telephone number of the grocers?', scan: 'receipt', fact: 'Tel. 555-0187' },
  { question: 'How much change was given at Peppercorn Grocers?', scan: 'receipt', fact: 'CHANGE 20.59' },
  { question: 'Who was the cashier?', scan: 'receipt', fact: 'Maribel' },
  { question: 'When is the invoice due?', scan: 'invoice', fact: 'Due date 2024-09-20' },
  { question: 'What is the IBAN of Juniper Lane Joinery?', scan: 'invoice', fact: 'IBAN: DE81 9990 4120 7744 3100 52' },
  { question: 'What is the total due of invoice INV-2024-00873?', scan: 'invoice', fact: 'Total due EUR 870.72' },
  { question: 'How much is the delivery to Eastvale?', scan: 'invoice', fact: 'Delivery to Eastvale 1 39.00' },
  {
    question: 'What does a walnut shelf board cost?',
    scan: 'invoice',
    fact: 'Walnut shelf board, 120 cm 6 48.50 291.00',
  },
  { question: 'Which customer number does Cafe Halcyon have?', scan: 'invoice', fact: 'Customer number K-10442' },
  { question: 'By when must the form of gift be returned?', scan: 'letter', fact: 'return it by 30 April 2024' },
  { question: 'How much will the repair of the map cost?', scan: 'letter', fact: 'expected to cost 340 pounds' },
  { question: 'How many minute books are there?', scan: 'letter', fact: 'Among the papers are 64 minute books' },
  { question: 'When was the map of the river drawn?', scan: 'letter', fact: 'drawn in 1887' },
  { question: 'When does the lantern parade start?', scan: 'flyer', fact: 'Lantern parade at eight' },
  { question: 'What is the admission to the Lantern Festival?', scan: 'flyer', fact: 'Admission 6 EUR' },
  { question: 'When can the atlas be collected?', scan: 'note', fact: 'can be collected on Thursday' },
  { question: 'How many dollars does the ticket cost?', scan: 'note', fact: 'yellow ticket and 28 dollars' },
  { question: 'Wie lautet die IBAN auf der Rechnung?', scan: 'invoice', fact: 'IBAN: DE81 9990 4120 7744 3100 52' },
];

/** The documents are about something else. */
export const offTopic: readonly { readonly question: string }[] = [
  { question: 'What is the warranty period of the washing machine?' },
  { question: 'What is the capital of France?' },
  { question: 'What is the total of invoice INV-2024-00999?' },
  { question: 'What did the oat milk cost in 2019?' },
  { question: 'How much is the rent of the flat?' },
  { question: 'What is the license plate of the car?' },
  { question: 'Wer ist der Hausmeister der Bibliothek?' },
  { question: 'Quelle est la couleur du bateau ?' },
];

/** The documents are about this, and do not say it. */
export const unsaid: readonly { readonly question: string }[] = [
  { question: 'Who is the president of the rowing club?' },
  { question: 'How many employees does Juniper Lane Joinery have?' },
];

export const unanswerable = [...offTopic, ...unsaid];
