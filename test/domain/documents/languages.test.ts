import { describe, expect, test } from 'vitest';
import { chosenLanguage, detectable } from '#src/domain/documents/languages/choose.ts';
import { detectLanguage, togetherWhenUnclear } from '#src/domain/documents/languages/detect.ts';

const installed = ['eng', 'deu', 'fra', 'ita', 'spa', 'por', 'nld', 'pol', 'swe', 'dan', 'nor', 'rus'];

describe('the language of a text', () => {
  test.each([
    ['eng', 'Dear Mrs Miller, we thank you for your order and enclose the invoice. Payment is due in 30 days.'],
    ['deu', 'Apotheke am Markt\nSumme EUR 12,40\nBar 20,00\nRückgeld 7,60\nMwSt 19%\nVielen Dank für Ihren Einkauf'],
    // As the English model reads it.
    ['deu', 'Sehr geehrte Frau Keller, wir bitten Sie, den Betrag bis zum 3. Marz auf unser Konto zu iberweisen.'],
    [
      'fra',
      'BOULANGERIE DUPRE\nTotal à payer 9,40\nEspèces 10,00\nRendu monnaie 0,60\nTVA 5,5%\nMerci de votre visite',
    ],
    ['spa', 'FACTURA SIMPLIFICADA\nTOTAL A PAGAR 13,50\nEFECTIVO 20,00\nCAMBIO 6,50\nIVA 10%\nGracias por su compra'],
    ['ita', 'SCONTRINO FISCALE\nTOTALE EURO 10,90\nCONTANTI 20,00\nRESTO 9,10\nGrazie e arrivederci'],
    ['por', 'Todas as pessoas têm o direito de trabalhar e não podem ser presas sem uma razão. Obrigado pela compra.'],
    [
      'nld',
      'Geachte heer, wij danken u voor de bestelling en sturen u hierbij de factuur met het totaal van het bedrag.',
    ],
    [
      'pol',
      'Dziękujemy za zakupy. Faktura numer 12, sprzedawca i nabywca, kwota do zapłaty oraz podatek jest w cenie.',
    ],
    ['swe', 'Vi tackar för ditt köp och skickar en faktura. Att betala: summa inte under det som står på kvitto.'],
  ])('is found: %s', (language, text) => {
    expect(detectLanguage(text, installed)).toBe(language);
    expect(detectLanguage(text, [...new Set(['eng', language])])).toBe(language);
  });

  test.each([
    ['numbers', '4711 0815 12.50 2024-03-01'],
    ['names', 'ACME Bolts, Wellington Street, John Keller'],
    ['a language that is not installed', 'Все люди рождаются свободными и равными в своем достоинстве и правах'],
    ['words that several languages have', 'de la en de la en de la en'],
    ['nothing', ''],
  ])('is not guessed from %s', (_, text) => {
    expect(detectLanguage(text, ['eng', 'deu', 'fra', 'spa', 'ita'])).toBeNull();
  });

  test('without a clear one, English, languages without known words and the likeliest others are read together', () => {
    expect(togetherWhenUnclear('Rechnung 4711', ['eng', 'deu', 'fra', 'ita', 'rus', 'spa'])).toEqual([
      'eng',
      'rus',
      'deu',
      'fra',
    ]);
    expect(togetherWhenUnclear('', ['eng', 'deu'])).toEqual(['eng', 'deu']);
  });
});

test('models that are no language are not looked for, and English comes first', () => {
  expect(detectable(['deu', 'osd', 'eng', 'equ', 'chi_sim', 'chi_sim_vert', 'ita_old'])).toEqual([
    'eng',
    'chi_sim',
    'deu',
  ]);
});

test('the languages of the document count before the node, unless the node says otherwise, and that before the installation', () => {
  const standard = 'eng';
  const document = ['deu', 'eng'];
  expect(chosenLanguage({ standard })).toEqual({ language: 'eng', from: 'installation' });
  expect(chosenLanguage({ standard, node: 'fra' })).toEqual({ language: 'fra', from: 'workflow' });
  expect(chosenLanguage({ standard, node: 'fra', document })).toEqual({ language: 'deu+eng', from: 'document' });
  const first = { standard, document, nodeFirst: true };
  expect(chosenLanguage({ ...first, node: 'fra' })).toEqual({ language: 'fra', from: 'workflow' });
  expect(chosenLanguage(first)).toEqual({ language: 'deu+eng', from: 'document' });
});
