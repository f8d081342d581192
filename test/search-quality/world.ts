export type Language = 'en' | 'de' | 'fr';
export type InLanguages = Readonly<Record<Language, string>>;

export interface Good {
  readonly id: string;
  readonly trade: string;
  readonly names: InLanguages;
}

const good = (trade: string, id: string, ...[en, de, fr]: [en: string, de: string, fr: string]): Good => ({
  id,
  trade,
  names: { en, de, fr },
});

/** Goods: three for each trade, named in each language. */
export const goods: readonly Good[] = [
  good('furniture', 'walnut-table', 'walnut table', 'Nussbaumtisch', 'table en noyer'),
  good('furniture', 'oak-chair', 'oak chair', 'Eichenstuhl', 'chaise en chêne'),
  good('furniture', 'bookshelf', 'wall bookshelf', 'Bücherregal', 'étagère murale'),
  good('plumbing', 'water-heater', 'water heater', 'Warmwasserspeicher', 'chauffe-eau électrique'),
  good('plumbing', 'kitchen-tap', 'kitchen tap', 'Küchenarmatur', 'robinet de cuisine'),
  good('plumbing', 'pipe-repair', 'pipe repair', 'Rohrreparatur', 'réparation de tuyaux'),
  good('computing', 'laptop', 'laptop computer', 'Notebook', 'ordinateur portable'),
  good('computing', 'screen', 'flat screen', 'Flachbildschirm', 'écran plat'),
  good('computing', 'network-cable', 'network cable', 'Netzwerkkabel', 'câble réseau'),
  good('printing', 'business-cards', 'business cards', 'Visitenkarten', 'cartes de visite'),
  good('printing', 'brochure', 'folded brochure', 'Faltprospekt', 'dépliant publicitaire'),
  good('printing', 'envelopes', 'printed envelopes', 'Briefumschläge', 'enveloppes imprimées'),
  good('catering', 'coffee-beans', 'coffee beans', 'Kaffeebohnen', 'grains de café'),
  good('catering', 'lunch-buffet', 'lunch buffet', 'Mittagsbuffet', 'buffet de midi'),
  good('catering', 'wine', 'white wine', 'Weißwein', 'vin blanc'),
  good('garden', 'apple-trees', 'apple trees', 'Apfelbäume', 'pommiers'),
  good('garden', 'lawn-mower', 'lawn mower', 'Rasenmäher', 'tondeuse à gazon'),
  good('garden', 'hedge-cutting', 'hedge cutting', 'Heckenschnitt', 'taille de haies'),
  good('roofing', 'roof-tiles', 'roof tiles', 'Dachziegel', 'tuiles de toit'),
  good('roofing', 'gutter', 'copper gutter', 'Kupferdachrinne', 'gouttière en cuivre'),
  good('roofing', 'scaffold', 'scaffold rental', 'Gerüstmiete', "location d'échafaudage"),
  good('cleaning', 'window-cleaning', 'window cleaning', 'Fensterreinigung', 'nettoyage de vitres'),
  good('cleaning', 'carpet-cleaning', 'carpet cleaning', 'Teppichreinigung', 'nettoyage de moquette'),
  good('cleaning', 'detergent', 'floor detergent', 'Bodenreiniger', 'détergent pour sols'),
];

export interface Vendor {
  readonly name: string;
  readonly trade: string;
  readonly language: Language;
  readonly city: string;
}

const vendor = (trade: string, language: Language, name: string, city: string): Vendor => ({
  trade,
  language,
  name,
  city,
});

export const vendors: readonly Vendor[] = [
  vendor('furniture', 'en', 'Hartley Joinery', 'Leeds'),
  vendor('furniture', 'de', 'Möbelhaus Größmann', 'Nürnberg'),
  vendor('furniture', 'fr', 'Ébénisterie Lefèvre', 'Besançon'),
  vendor('plumbing', 'en', 'Brookside Plumbing', 'Bristol'),
  vendor('plumbing', 'de', 'Sanitär Jäger', 'Köln'),
  vendor('plumbing', 'fr', 'Plomberie Géraud', 'Orléans'),
  vendor('computing', 'en', 'Northgate Computers', 'Glasgow'),
  vendor('computing', 'de', 'Rechenwerk Systeme', 'München'),
  vendor('computing', 'fr', 'Informatique Bérénice', 'Grenoble'),
  vendor('printing', 'en', 'Quayside Press', 'Newcastle'),
  vendor('printing', 'de', 'Druckerei Schröder', 'Lübeck'),
  vendor('printing', 'fr', 'Imprimerie du Marché', 'Nîmes'),
  vendor('catering', 'en', 'Saffron Kitchen', 'Oxford'),
  vendor('catering', 'de', 'Feinkost Bäumler', 'Düsseldorf'),
  vendor('catering', 'fr', 'Traiteur Hélène', 'Angoulême'),
  vendor('garden', 'en', 'Greenacre Nursery', 'Kent'),
  vendor('garden', 'de', 'Gärtnerei Höfler', 'Würzburg'),
  vendor('garden', 'fr', 'Pépinières Rosée', 'Périgueux'),
  vendor('roofing', 'en', 'Stonebridge Roofing', 'Durham'),
  vendor('roofing', 'de', 'Dachdeckerei Kröger', 'Göttingen'),
  vendor('roofing', 'fr', 'Couverture Desprès', 'Évreux'),
  vendor('cleaning', 'en', 'Clearview Cleaning', 'Swansea'),
  vendor('cleaning', 'de', 'Gebäudereinigung Süß', 'Tübingen'),
  vendor('cleaning', 'fr', 'Nettoyage Étoile', 'Saint-Étienne'),
];

/** Customers, patients, employees, tenants. */
export const people: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Margaret Ashworth',
    'Oliver Pemberton',
    'Fiona Kavanagh',
    'Desmond Whitlock',
    'Ruth Gallagher',
    'Ian McAllister',
  ],
  de: ['Jürgen Müller', 'Käthe Schönfeld', 'Björn Weißgerber', 'Ursula Krämer', 'Günther Vogelsang', 'Anke Lüdemann'],
  fr: ['François Chédeville', 'Amélie Beauséjour', 'Théo Garçonnet', 'Cécile Préault', 'Zoé Maréchal', 'Rémi Hébrard'],
};

export const complaints: readonly { readonly id: string; readonly names: InLanguages }[] = [
  { id: 'sprain', names: { en: 'sprained ankle', de: 'Knöchelverstauchung', fr: 'entorse de la cheville' } },
  { id: 'migraine', names: { en: 'chronic migraine', de: 'chronische Migräne', fr: 'migraine chronique' } },
  {
    id: 'pneumonia',
    names: { en: 'bacterial pneumonia', de: 'bakterielle Lungenentzündung', fr: 'pneumonie bactérienne' },
  },
  { id: 'hypertension', names: { en: 'high blood pressure', de: 'Bluthochdruck', fr: 'hypertension artérielle' } },
  { id: 'allergy', names: { en: 'pollen allergy', de: 'Pollenallergie', fr: 'allergie au pollen' } },
];

export const damages: readonly { readonly id: string; readonly names: InLanguages }[] = [
  {
    id: 'water',
    names: { en: 'water damage in the cellar', de: 'Wasserschaden im Keller', fr: 'dégât des eaux dans la cave' },
  },
  { id: 'fire', names: { en: 'kitchen fire', de: 'Küchenbrand', fr: 'incendie de cuisine' } },
  { id: 'theft', names: { en: 'bicycle theft', de: 'Fahrraddiebstahl', fr: 'vol de bicyclette' } },
  {
    id: 'hail',
    names: { en: 'hail damage to the car', de: 'Hagelschaden am Auto', fr: 'dégâts de grêle sur la voiture' },
  },
  { id: 'glass', names: { en: 'broken shop window', de: 'zerbrochene Schaufensterscheibe', fr: 'bris de vitrine' } },
];
