import { Fragment } from "react";

/** A text that a narrow column breaks between the words of a name such as DeleteOnScaledownOnly, not within one. */
export const Breakable = ({ text }: { readonly text: string }): React.ReactNode =>
  text.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text have no other key.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {word}
    </Fragment>
  ));
