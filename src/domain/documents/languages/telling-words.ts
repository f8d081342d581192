import { own } from '#src/contracts/own.ts';
import { functionWordSet, type KnownLanguage } from '#src/domain/embed-locally/stop-words.ts';

/** Languages whose function words the search has already. */
const searched: Readonly<Record<string, KnownLanguage>> = { eng: 'en', deu: 'de', fra: 'fr', spa: 'es', ita: 'it' };

/**
 * Words that tell a language by Tesseract's code, folded as `foldText` does: words of letters and receipts, which have few function
 * words, and for languages without function words of their own also those. Source: docs/decisions/0215.
 */
const words: Readonly<Record<string, string>> = {
  eng: `amount balance bill billing card cash change company customer date days delivery description discount due each from
    invoice item items name net number order our paid pay payable payment per phone please price qty quantity rate receipt
    received regards sincerely subtotal tax terms thank thanks total unit vat visit welcome yours`,
  deu: `anzahl art artikel bar bank bankverbindung beleg bestellung betrag bezeichnung brutto danke datum einkauf einzelpreis
    frau geehrte gegeben gesamt gesamtbetrag geschaftsfuhrer gmbh gruss grussen herr herren kasse konto kunde kunden kundennummer
    lieferdatum lieferschein lieferung menge mehrwertsteuer mwst netto nr pos preis rechnung rechnungsdatum rechnungsnummer
    ruckgeld seite sehr steuer steuernummer strasse stuck summe tel telefon umsatzsteuer ust vielen wir zahlbar zahlung`,
  fra: `achat adresse bonjour carte cher client cliente commande conditions date designation echeance especes euros facture fax
    fournisseur frais hors ht jours livraison madame merci mode monnaie monsieur montant net nom numero paiement payer prix
    quantite recu reference reglement remise rendu rue siret societe sous taxe taxes telephone total ttc tva unitaire visite`,
  spa: `articulo atentamente calle cambio cantidad cif cliente codigo compra correo descripcion descuento direccion efectivo
    empresa entrega estimado factura fecha forma gracias importe iva nif numero pagar pago pedido precio producto recibo saludos
    senor senora subtotal tarjeta telefono tienda unidad vencimiento visita`,
  ita: `acquisto arrivederci buono cambio cap carta cliente codice commerciale contante contanti data descrizione destinatario
    documento euro fattura fiscale gentile grazie imponibile importo indirizzo iva merce numero ordine pagamento partita prezzo
    pezzi quantita resto ricevuta saluti sconto scadenza scontrino signor signora spett tel totale trasporto via`,
  por: `a ao aos as ate cartao com como compra da das data de desconto descricao do dos e ela ele em entre era essa esse esta este
    fatura foi isso ja mais mas mesmo muito na nao nas nif no nos nossa nosso numero o obrigado ou os pagamento para pela pelas
    pelo pelos pessoa por preco qual quando quantidade que recibo sao se sem ser seu sua suas tambem tem toda todo todos total
    troco um uma valor voce`,
  nld: `aan aantal al alle als andere bedrag bedankt bestelling betaling bij btw dag dan dat datum de deze die dit door dus een elk
    en er factuur geen geachte haar had heeft heer het hij hoe ieder iedereen in is kan klant kunnen maar meer met mevrouw na naar
    niet nog nummer of om omschrijving onder ons onze ook op over prijs recht te tegen tot totaal uit uw van veel voor waar was wat
    we wel werd wij wordt worden zal ze zich zij zijn zonder zou`,
  pol: `ale albo bez bardzo brutto byc bedzie cena co czy dla do dziekujemy faktura go gotowka ich ilosc innych jak jako jego jej
    jest jestesmy kazdy kazda kazdego klient kto ktore ktory ktora kwota lub ma mam moze na nabywca nad nie niz numer oraz po pod
    podatek prawo prawa przed przez przy razem reszta sa sie sprzedawca sprzedaz sprzedazy sposob suma swoj ta tak tego tej ten to
    tylko tym ulica vat w wartosc we wszystkich wszyscy z za zaplaty ze`,
  swe: `alla alltid antal att av belopp betala betalning bli blev dar de dem den denna dess det detta dig din du efter ej eller en
    ett faktura for fore fran ha hade han har hon hur i icke ingen inte inom jag kan kund kvitto man med men mig mitt moms mot
    mycket nar nagon nagra nar och om oss pa pris ratt sadan sig sin ska skall som summa tack till totalt under upp ut utan var
    vara vem vi vid vilka vill`,
  dan: `af alle antal at belob betaling blev bliver da de dem den denne der deres det dette dig din du efter eller en enhver er et
    faktura for fordi fra fri ham han har havde hendes her hun hvad hver hvis i ikke ind ingen jeg kan kun kunde kvittering man
    med meget men mig moms mod ned nogen nogle nu og ogsaa om op os over pa pris ret sig sin skal som tak til ud uden under var
    ved vi vil vor vaere`,
  nor: `alle antall at av belop ble blir bli da de dem den denne der deres det dette du eller en enhver er et etter faktura for fra
    fri ha hadde han har hun hva hver hvis hvor i ikke ingen jeg kan kunde kvittering man med meg men mer mot mva noe noen nar og
    ogsa om opp oss over pa pris rett seg sin skal som takk til totalt under uten ut var ved vi vil vaere`,
};

/** Words that tell this language of Tesseract, folded; null: none are known. */
export function tellingWords(code: string): ReadonlySet<string> | null {
  const added = own(words, code);
  if (added === undefined) return null;
  const known = own(searched, code);
  return new Set([...(known === undefined ? [] : functionWordSet(known)), ...added.split(/\s+/)]);
}
