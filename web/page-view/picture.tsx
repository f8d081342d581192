import type { ImgHTMLAttributes } from 'react';

/**
 * Ends the loading of a picture that leaves the page. Else the browser keeps it until it is loaded, with everything around it, and the server makes
 * it for nobody. It ends before the element is removed: Chromium keeps elements for good whose source changes later.
 */
function whileThere(image: HTMLImageElement): () => void {
  const { left } = image.dataset;
  // React's strict mode takes each element away once, and brings it back.
  if (left !== undefined && !image.hasAttribute('src')) image.src = left;
  return () => {
    if (image.complete) return;
    image.dataset['left'] = image.src;
    image.removeAttribute('src');
  };
}

/** A picture that the server makes: a page, or the small one of a document. */
export const Picture = ({ alt, ...rest }: ImgHTMLAttributes<HTMLImageElement> & { readonly alt: string }) => (
  <img ref={whileThere} alt={alt} decoding="async" {...rest} />
);
