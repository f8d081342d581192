/** Cue words of a document type: patterns over folded text (lower case, no accents) with weights. */
export interface DocumentCues {
  readonly type: string;
  readonly cues: readonly (readonly [pattern: RegExp, weight: number])[];
}

/** Cues in English, German, French, Spanish and Italian. The first type wins a tie. */
export const documentCues: readonly DocumentCues[] = [
  {
    type: 'invoice',
    cues: [
      [/\binvoice (?:number|no|date)\b/, 3],
      [/\binvoice\b/, 1],
      [/\b(?!\w*(?:ab|be|an|auf|vor)rechnung)\w*rechnung(?:snummer|skorrektur)?\b|\b(?:facture|factura|fattura)\b/, 3],
      [/\b(?:bill to|billed to)\b/, 2],
      [/\b(?:due date|payment terms|zahlbar bis|echeance|vencimiento|scadenza)\b/, 1],
      [/\b(?:total due|amount due|net amount|rechnungsbetrag|gesamtbetrag|total ttc)\b/, 2],
      [/\b(?:unit price|einzelpreis|prix unitaire)\b/, 1],
    ],
  },
  {
    type: 'receipt',
    cues: [
      [/\breceipt\b/, 2],
      [/\b(?:kassenbon|kassenbeleg|quittung|ticket de caisse|recibo|scontrino)\b/, 3],
      [/\b(?:cashier|clerk|register \d+|bediener|kasse)\b/, 2],
      [/\b(?:sub ?total|zwischensumme|sous-total)\b/, 1],
      [/\b(?:cash|card ending|visa|mastercard|ec-karte|bar gegeben|especes|efectivo|contanti)\b/, 1],
      [/\b(?:change|ruckgeld|rendu|cambio|resto)\b/, 1],
      [/\b(?:sales tax|incl\.? vat|inkl\.? mwst)\b/, 1],
      [/\b(?:keep this slip|thank you for (?:shopping|your purchase|your visit)|vielen dank fur ihren einkauf)\b/, 2],
    ],
  },
  {
    type: 'statement',
    cues: [
      [/\b(?:statement of account|account statement|bank statement|kontoauszug|releve de compte|estratto conto)\b/, 4],
      [/\b(?:opening|previous) balance\b|\balter kontostand\b|\bancien solde\b/, 2],
      [/\b(?:closing|new) balance\b|\bneuer kontostand\b|\bnouveau solde\b/, 2],
      [/\bmoney (?:in|out)\b|\bstanding order\b/, 1],
    ],
  },
  {
    type: 'delivery note',
    cues: [
      [/\b(?:delivery note|packing (?:slip|list)|lieferschein|bon de livraison|albaran|bolla di consegna)\b/, 5],
      [/\b(?:carrier|parcels|total weight|received in good order)\b/, 1],
    ],
  },
  {
    type: 'purchase order',
    cues: [[/\b(?:purchase order|bestellschein|bon de commande|orden de compra)\b/, 4]],
  },
  {
    type: 'quotation',
    cues: [[/\b(?:quotation|quote (?:number|no)|cost estimate|kostenvoranschlag|devis|presupuesto|preventivo)\b/, 4]],
  },
  {
    type: 'contract',
    cues: [
      [/\b(?:this agreement|(?:rental|lease|service|employment|sales) (?:agreement|contract)|contract between)\b/, 4],
      [/\b(?:mietvertrag|arbeitsvertrag|kaufvertrag|vertrag|contrat|contrato|contratto)\b/, 3],
      [/\b(?:hereinafter|hereby agree|the parties|in witness whereof|governing law|die parteien)\b/, 2],
    ],
  },
  {
    type: 'minutes',
    cues: [
      [/\bminutes of (?:the|a|our)\b|\bminutes taken by\b|\bproces-verbal\b|\bsitzungsprotokoll\b|\bverbale di\b/, 4],
      [/\b(?:present|excused|apologies|anwesend):/, 1],
      [/\b(?:any )?other business\b|\bnext meeting\b/, 1],
    ],
  },
  {
    type: 'form',
    cues: [
      [/\b(?:application for|for office use only|antrag auf|demande de|solicitud de|domanda di)\b/, 3],
      [/\b(?:fill in|write clearly|block capitals|bitte ausfullen|a remplir|rellenar)\b/, 2],
      [
        /\b(?:full name|date of birth|place of birth|geburtsdatum|date de naissance|fecha de nacimiento|data di nascita)\b/,
        2,
      ],
      [/\b(?:applicant|antragsteller|demandeur|solicitante)\b/, 1],
      [/\b(?:form|formular|formulaire|formulario|modulo) [a-z]{0,3}-?\d/, 1],
      [/\b(?:signature|unterschrift|firma)\b/, 1],
    ],
  },
  {
    type: 'letter',
    cues: [
      [/\bdear (?:mr|mrs|ms|dr|sir|madam|all|[a-z]{2,})\b|\bto whom it may concern\b/, 3],
      [
        /\bsehr geehrte[rs]?\b|\bliebe[r]? (?:frau|herr)\b|\bcher(?:e)? (?:monsieur|madame)\b|\bestimad[oa]\b|\bgentile\b/,
        3,
      ],
      [/\b(?:yours (?:sincerely|faithfully|truly)|sincerely|(?:with )?(?:kind|best|warm) regards)\b/, 3],
      [
        /\bmit freundlichen grussen\b|\bcordialement\b|\bsalutations distinguees\b|\batentamente\b|\bdistinti saluti\b/,
        3,
      ],
    ],
  },
  {
    type: 'memo',
    cues: [
      [/\b(?:memo|memorandum|while you were out|aktennotiz)\b/, 4],
      [/\b(?:call back|please call)\b/, 1],
    ],
  },
  {
    type: 'flyer',
    cues: [
      [/\b(?:admission|free entry|eintritt|entree libre|entrada libre|ingresso)\b/, 2],
      [/\b(?:festival|concert|exhibition|open day|flea market|konzert|flohmarkt|spectacle|mostra)\b/, 2],
      [/\b(?:parade|fireworks|brass band|live music|bring your own|join us|grand opening|special offer)\b/, 1],
    ],
  },
  {
    type: 'certificate',
    cues: [[/\b(?:certificate of|this is to certify|certify that|zertifikat|urkunde|certificat|certificado)\b/, 4]],
  },
  {
    type: 'payslip',
    cues: [
      [/\b(?:pay ?slip|gross pay|net pay|gehaltsabrechnung|lohnabrechnung|bulletin de paie|nomina|busta paga)\b/, 4],
    ],
  },
  {
    type: 'resume',
    cues: [
      [/\b(?:curriculum vitae|lebenslauf)\b/, 4],
      [/\b(?:work experience|professional experience|berufserfahrung)\b/, 2],
      [/\b(?:education|skills|ausbildung)\b/, 1],
    ],
  },
  {
    type: 'ticket',
    cues: [[/\b(?:boarding pass|e-ticket|admit one|bordkarte|fahrkarte|billet de train)\b/, 4]],
  },
  {
    type: 'report',
    cues: [
      [/\b(?:executive summary|annual report|final report|jahresbericht|abschlussbericht|rapport annuel)\b/, 3],
      [/\b(?:table of contents|findings|recommendations|conclusions)\b/, 1],
    ],
  },
  {
    type: 'article',
    cues: [
      [/\b(?:quarterly|gazette|magazine|journal|newspaper|abstract|zeitung|revue)\b|\bvol(?:ume|\.) ?\d|\bissue \d/, 1],
    ],
  },
];
