import type { QuestionLanguage } from '#src/domain/chat/question-words.ts';

interface Phrases {
  readonly nothing: string;
  readonly passages: string;
}

/** Fixed sentences of answers without a model. */
export const phrases: Readonly<Record<QuestionLanguage, Phrases>> = {
  en: {
    nothing: 'I found nothing in these documents that answers this.',
    passages: 'No text model is at work here; these passages of the documents come closest to an answer:',
  },
  de: {
    nothing: 'In diesen Dokumenten habe ich nichts gefunden, das darauf antwortet.',
    passages: 'Hier arbeitet kein Textmodell; diese Stellen der Dokumente kommen einer Antwort am nächsten:',
  },
  fr: {
    nothing: 'Je n’ai rien trouvé dans ces documents qui réponde à cette question.',
    passages:
      'Aucun modèle de texte n’est à l’œuvre ici ; ces passages des documents sont les plus proches d’une réponse :',
  },
};
