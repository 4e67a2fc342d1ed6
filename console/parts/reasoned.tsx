import { Button, type ButtonProps, Tooltip } from "@patternfly/react-core";

/** A button that says why it cannot be used: it can be focused all the same, so that the reason can be read. */
export function Reasoned({ why, ...button }: ButtonProps & { readonly why: string | undefined }) {
  if (why === undefined) return <Button {...button} />;
  const { onClick: _, ...rest } = button;
  return (
    <Tooltip content={why}>
      <Button {...rest} isAriaDisabled />
    </Tooltip>
  );
}
