// Reads rows as JSON and prints what Kubernetes' own code says of each: true, false, -1, 0, 1, or "invalid".
package main

import (
	"encoding/json"
	"os"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

type row struct {
	Selector     *meta.LabelSelector `json:"selector"`
	Labels       map[string]string   `json:"labels"`
	NodeSelector *core.NodeSelector  `json:"nodeSelector"`
	Node         *struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"node"`
	Toleration *core.Toleration `json:"toleration"`
	Taint      *core.Taint      `json:"taint"`
	Quantities []string         `json:"quantities"`
}

const invalid = "invalid"

func (r row) verdict() any {
	switch {
	case r.Selector != nil:
		selector, err := meta.LabelSelectorAsSelector(r.Selector)
		if err != nil {
			return invalid
		}
		return selector.Matches(labels.Set(r.Labels))
	case r.NodeSelector != nil:
		node := &core.Node{ObjectMeta: meta.ObjectMeta{Name: r.Node.Name, Labels: r.Node.Labels}}
		matches, err := nodeaffinity.NewLazyErrorNodeSelector(r.NodeSelector).Match(node)
		if err != nil {
			return invalid
		}
		return matches
	case r.Toleration != nil:
		return r.Toleration.ToleratesTaint(klog.Background(), r.Taint, false)
	default:
		one, err := resource.ParseQuantity(r.Quantities[0])
		other, otherErr := resource.ParseQuantity(r.Quantities[1])
		if err != nil || otherErr != nil {
			return invalid
		}
		return one.Cmp(other)
	}
}

func main() {
	var rows []row
	if err := json.NewDecoder(os.Stdin).Decode(&rows); err != nil {
		panic(err)
	}
	verdicts := make([]any, len(rows))
	for i, r := range rows {
		verdicts[i] = r.verdict()
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		panic(err)
	}
}
