import type { Language } from '#test/search-quality/world.ts';

export type DocumentType =
  | 'order'
  | 'delivery'
  | 'invoice'
  | 'reminder'
  | 'receipt'
  | 'contract'
  | 'complaint'
  | 'medical'
  | 'form'
  | 'payslip'
  | 'claim';

/** The words of each kind of document in each language; names in braces are filled in. Sentences in `[a|b]` are drawn by lot. */
export const templates: Readonly<Record<DocumentType, Readonly<Record<Language, string>>>> = {
  order: {
    en: `PURCHASE ORDER {number}\n{person}\nto {vendor}, {city}\nDate: {date}\nPlease deliver the following items:\n{lines}\nOrder value: {amount}\n[Delivery to the rear entrance, please.|Call before delivery.]`,
    de: `BESTELLUNG {number}\n{person}\nan {vendor}, {city}\nDatum: {date}\nBitte liefern Sie uns die folgenden Artikel:\n{lines}\nBestellwert: {amount}\n[Anlieferung bitte am Hintereingang.|Bitte rufen Sie vor der Lieferung an.]`,
    fr: `BON DE COMMANDE {number}\n{person}\nà {vendor}, {city}\nDate : {date}\nVeuillez nous livrer les articles suivants :\n{lines}\nValeur de la commande : {amount}\n[Livraison à l'entrée de service.|Merci de téléphoner avant la livraison.]`,
  },
  delivery: {
    en: `DELIVERY NOTE {number}\n{vendor}, {city}\nYour order {reference}\nDelivered on {date} to {person}\n{lines}\nGoods received complete and undamaged.\n[Signature of the recipient|Left with the neighbour at number 14]`,
    de: `LIEFERSCHEIN {number}\n{vendor}, {city}\nIhre Bestellung {reference}\nGeliefert am {date} an {person}\n{lines}\nWare vollständig und unbeschädigt erhalten.\n[Unterschrift des Empfängers|Beim Nachbarn in Hausnummer 14 abgegeben]`,
    fr: `BON DE LIVRAISON {number}\n{vendor}, {city}\nVotre commande {reference}\nLivré le {date} à {person}\n{lines}\nMarchandise reçue complète et en bon état.\n[Signature du destinataire|Déposé chez le voisin au numéro 14]`,
  },
  invoice: {
    en: `{vendor}\n{city}\nINVOICE\nInvoice number: {number}\nInvoice date: {date}\nBill to: {person}\nYour order: {reference}\n{lines}\nTotal due: {amount}\n[Payable within 30 days without deduction.|Two per cent discount if paid within ten days.]\nThank you for your business.`,
    de: `{vendor}\n{city}\nRECHNUNG\nRechnungsnummer: {number}\nRechnungsdatum: {date}\nRechnung an: {person}\nIhre Bestellung: {reference}\n{lines}\nGesamtbetrag: {amount}\n[Zahlbar innerhalb von 30 Tagen ohne Abzug.|Bei Zahlung innerhalb von zehn Tagen zwei Prozent Skonto.]\nWir danken für Ihren Auftrag.`,
    fr: `{vendor}\n{city}\nFACTURE\nNuméro de facture : {number}\nDate de facture : {date}\nFacturé à : {person}\nVotre commande : {reference}\n{lines}\nTotal à payer : {amount}\n[Payable à 30 jours sans escompte.|Deux pour cent d'escompte pour règlement sous dix jours.]\nNous vous remercions de votre confiance.`,
  },
  reminder: {
    en: `{vendor}\n{city}, {date}\nDear {person},\nour invoice {reference} of {amount} has not been settled yet. [Payment is overdue since last month.|The amount has been outstanding for three weeks.]\nThis is our second reminder {number}. Please transfer the sum within seven days, otherwise we charge late fees.\n{lines}\nYours sincerely`,
    de: `{vendor}\n{city}, den {date}\nSehr geehrte Damen und Herren, {person},\nunsere Rechnung {reference} über {amount} ist noch nicht beglichen. [Die Zahlung ist seit letztem Monat überfällig.|Der Betrag steht seit drei Wochen aus.]\nDies ist unsere zweite Mahnung {number}. Bitte überweisen Sie die Summe binnen sieben Tagen, sonst berechnen wir Mahngebühren.\n{lines}\nMit freundlichen Grüßen`,
    fr: `{vendor}\n{city}, le {date}\nMadame, Monsieur {person},\nnotre facture {reference} de {amount} n'est pas encore réglée. [Le paiement est en retard depuis le mois dernier.|La somme reste due depuis trois semaines.]\nCeci est notre deuxième rappel {number}. Veuillez virer la somme sous sept jours, faute de quoi des pénalités seront appliquées.\n{lines}\nVeuillez agréer nos salutations distinguées`,
  },
  receipt: {
    en: `{vendor}\n{city}\nRECEIPT {number}\n{date} 14:32\n{lines}\nTOTAL {amount}\n[Paid by card|Paid in cash]\nThank you, come again`,
    de: `{vendor}\n{city}\nKASSENBON {number}\n{date} 14:32 Uhr\n{lines}\nSUMME {amount}\n[Kartenzahlung|Bar bezahlt]\nVielen Dank für Ihren Einkauf`,
    fr: `{vendor}\n{city}\nTICKET DE CAISSE {number}\n{date} 14h32\n{lines}\nTOTAL {amount}\n[Payé par carte|Payé en espèces]\nMerci de votre visite`,
  },
  contract: {
    en: `RENTAL AGREEMENT {number}\nbetween the landlord {person} and the tenant {vendor}\nThe premises in {city} are let from {date}.\nThe monthly rent is {amount}. A deposit of three months is due on signing.\n[The agreement may be terminated with three months notice.|Subletting needs the consent of the landlord in writing.]\nPets are not allowed. Repairs up to 100 are paid by the tenant.`,
    de: `MIETVERTRAG {number}\nzwischen dem Vermieter {person} und dem Mieter {vendor}\nDie Räume in {city} werden ab {date} vermietet.\nDie monatliche Miete beträgt {amount}. Bei Unterzeichnung ist eine Kaution von drei Monatsmieten fällig.\n[Die Kündigungsfrist beträgt drei Monate.|Die Untervermietung bedarf der schriftlichen Zustimmung des Vermieters.]\nHaustiere sind nicht gestattet. Kleinreparaturen bis 100 trägt der Mieter.`,
    fr: `CONTRAT DE LOCATION {number}\nentre le propriétaire {person} et le locataire {vendor}\nLes locaux à {city} sont loués à partir du {date}.\nLe loyer mensuel est de {amount}. Un dépôt de garantie de trois mois est dû à la signature.\n[Le préavis de résiliation est de trois mois.|La sous-location exige l'accord écrit du propriétaire.]\nLes animaux ne sont pas admis. Les petites réparations jusqu'à 100 sont à la charge du locataire.`,
  },
  complaint: {
    en: `{person}\nto {vendor}, {city}\n{date}\nComplaint about your delivery, our reference {number}\nDear Sir or Madam,\nthe following goods arrived [damaged|two weeks late and incomplete]:\n{lines}\nI ask you to replace them free of charge or to refund {amount}.\nKind regards`,
    de: `{person}\nan {vendor}, {city}\n{date}\nReklamation Ihrer Lieferung, unser Zeichen {number}\nSehr geehrte Damen und Herren,\ndie folgende Ware kam [beschädigt|zwei Wochen zu spät und unvollständig] an:\n{lines}\nIch bitte um kostenlosen Ersatz oder Erstattung von {amount}.\nMit freundlichen Grüßen`,
    fr: `{person}\nà {vendor}, {city}\n{date}\nRéclamation concernant votre livraison, notre référence {number}\nMadame, Monsieur,\nla marchandise suivante est arrivée [endommagée|avec deux semaines de retard et incomplète] :\n{lines}\nJe vous demande un remplacement gratuit ou le remboursement de {amount}.\nCordialement`,
  },
  medical: {
    en: `Department of internal medicine, hospital of {city}\nMedical report {number}, {date}\nPatient: {person}\nDiagnosis: {topic}\nThe patient was seen in our outpatient clinic. [Medication was prescribed for two weeks.|We recommend rest and a follow-up visit.]\nBlood tests were normal. Unfit for work until further notice.`,
    de: `Klinik für Innere Medizin, Krankenhaus {city}\nArztbrief {number}, {date}\nPatient: {person}\nDiagnose: {topic}\nDie Vorstellung erfolgte in unserer Ambulanz. [Für zwei Wochen wurden Medikamente verordnet.|Wir empfehlen Schonung und eine Kontrolluntersuchung.]\nDie Blutwerte waren unauffällig. Arbeitsunfähig bis auf Weiteres.`,
    fr: `Service de médecine interne, hôpital de {city}\nCompte rendu médical {number}, {date}\nPatient : {person}\nDiagnostic : {topic}\nLe patient a été vu en consultation. [Des médicaments ont été prescrits pour deux semaines.|Nous recommandons du repos et une visite de contrôle.]\nLes analyses de sang étaient normales. Arrêt de travail jusqu'à nouvel ordre.`,
  },
  form: {
    en: `APPLICATION FORM {number}\nRegistration of a residence\nFull name: {person}\nCity: {city}\nMoving in on: {date}\nMarital status: [married|single]\nPlease attach a copy of your passport. Fee: {amount}`,
    de: `ANTRAG {number}\nAnmeldung eines Wohnsitzes\nName, Vorname: {person}\nOrt: {city}\nEinzugsdatum: {date}\nFamilienstand: [verheiratet|ledig]\nBitte eine Kopie des Reisepasses beifügen. Gebühr: {amount}`,
    fr: `FORMULAIRE DE DEMANDE {number}\nDéclaration de domicile\nNom et prénom : {person}\nVille : {city}\nDate d'emménagement : {date}\nÉtat civil : [marié|célibataire]\nVeuillez joindre une copie du passeport. Frais : {amount}`,
  },
  payslip: {
    en: `{vendor}, {city}\nPAYSLIP {number} for {date}\nEmployee: {person}\nGross salary and bonus\nIncome tax and pension contribution deducted\nNet pay: {amount}\n[Remaining holiday: 12 days|Overtime: 6 hours]`,
    de: `{vendor}, {city}\nGEHALTSABRECHNUNG {number} für {date}\nMitarbeiter: {person}\nBruttolohn und Zulagen\nLohnsteuer und Rentenversicherung abgezogen\nAuszahlungsbetrag: {amount}\n[Resturlaub: 12 Tage|Überstunden: 6]`,
    fr: `{vendor}, {city}\nBULLETIN DE PAIE {number} pour {date}\nSalarié : {person}\nSalaire brut et primes\nImpôt et cotisation de retraite retenus\nNet à payer : {amount}\n[Congés restants : 12 jours|Heures supplémentaires : 6]`,
  },
  claim: {
    en: `Harbour Mutual Insurance\nNOTICE OF CLAIM {number}\nPolicy holder: {person}, {city}\nDate of loss: {date}\nWhat happened: {topic}\nEstimated loss: {amount}\n[Photographs are enclosed.|The police were informed.]`,
    de: `Hafen Versicherungsverein\nSCHADENSMELDUNG {number}\nVersicherungsnehmer: {person}, {city}\nSchadenstag: {date}\nHergang: {topic}\nGeschätzte Schadenshöhe: {amount}\n[Fotos liegen bei.|Die Polizei wurde verständigt.]`,
    fr: `Assurance Mutuelle du Port\nDÉCLARATION DE SINISTRE {number}\nAssuré : {person}, {city}\nDate du sinistre : {date}\nCirconstances : {topic}\nMontant estimé du dommage : {amount}\n[Photographies ci-jointes.|La police a été prévenue.]`,
  },
};
